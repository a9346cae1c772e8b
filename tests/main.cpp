// SPDX-License-Identifier: Apache-2.0
// The main function of every test program. A run that selects no test case fails: it would prove nothing.
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <cstdio>

namespace {

unsigned cases_run = 0;

struct case_counter : doctest::IReporter {
  explicit case_counter(doctest::ContextOptions const&) {}
  void report_query(doctest::QueryData const&) override {}
  void test_run_start() override {}
  void test_run_end(doctest::TestRunStats const& stats) override { cases_run = stats.numTestCasesPassingFilters; }
  void test_case_start(doctest::TestCaseData const&) override {}
  void test_case_reenter(doctest::TestCaseData const&) override {}
  void test_case_end(doctest::CurrentTestCaseStats const&) override {}
  void test_case_exception(doctest::TestCaseException const&) override {}
  void subcase_start(doctest::SubcaseSignature const&) override {}
  void subcase_end() override {}
  void log_assert(doctest::AssertData const&) override {}
  void log_message(doctest::MessageData const&) override {}
  void test_case_skipped(doctest::TestCaseData const&) override {}
};

}  // namespace

DOCTEST_REGISTER_LISTENER("case_counter", 1, case_counter);

int main(int argc, char** argv) {
  doctest::Context context(argc, argv);
  int const status = context.run();
  if (context.shouldExit()) return status;
  if (cases_run == 0) {
    std::fputs("no test case was run\n", stderr);
    return 1;
  }
  return status;
}
