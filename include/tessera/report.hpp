// SPDX-License-Identifier: Apache-2.0
// Static reports: what a program is, where its bytes lie and when, what it should cost. Nothing has to run.
//
//   std::puts(ts::report::text(heat).c_str());      ts::report::html(engine, "heat.html");
#pragma once

#include <tessera/io/atomic_file.hpp>
#include <tessera/plan/estimate.hpp>
#include <tessera/report/html.hpp>
#include <tessera/report/json.hpp>
#include <tessera/report/profile.hpp>
#include <tessera/report/text.hpp>

#include <string>
#include <type_traits>

namespace tessera::report {

namespace detail {
template <class P>
inline constexpr bool is_program = requires {
  P::counts;
  P::view();
};
template <>
inline constexpr bool is_program<refused_program> = true;   // its mistake has been reported: nothing to add
/// The program of a program, or of an engine, whose only type argument it is.
template <class P>
struct program_of {
  using type = P;
};
template <template <class> class Engine, class P>
struct program_of<Engine<P>> {
  using type = P;
};
}  // namespace detail

/// A program, or an engine of one.
template <class P>
concept Reportable = detail::is_program<typename detail::program_of<P>::type>;

/// The data of a report.
template <Reportable P>
data make(P const&) {
  using program = typename detail::program_of<P>::type;
  if constexpr (std::is_same_v<program, refused_program>) {
    return {};
  } else {
    using plan = planned<program>;
    using costs = estimated<program>;
    return make<program::counts>(program::view(), plan::exchange, plan::memory, plan::swaps, plan::sync,
                                 plan::liveness, costs::cost, costs::advice);
  }
}

/// A report for terminals.
template <Reportable P>
std::string text(P const& program) {
  return text(make(program));
}
/// A report for other programs, as JSON.
template <Reportable P>
std::string json(P const& program) {
  return json(make(program));
}
/// A report for browsers.
template <Reportable P>
std::string html(P const& program) {
  return html(make(program));
}
/// The same as a file, which is complete or not there.
/// @throws io_error if the file cannot be written
template <Reportable P>
void html(P const& program, std::string const& path) {
  std::string const page = html(program);
  atomic_file file(path);
  file.write(page);
  file.commit();
}

}  // namespace tessera::report
