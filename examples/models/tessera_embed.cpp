// SPDX-License-Identifier: Apache-2.0
// tessera-embed: sentences in, embeddings out, with all-MiniLM-L6-v2.
//
//   tessera-embed sentences.txt --weights model.safetensors --vocab vocab.txt --similarity
#include <cmath>
#include <cstdint>
#include <iomanip>
#include <iostream>
#include <memory>
#include <optional>
#include <span>
#include <sstream>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <tessera/io/atomic_file.hpp>
#include <tessera/io/npy.hpp>
#include <tessera/io/text_lines.hpp>
#include <tessera/io/wordpiece.hpp>

#include "detail/progress.hpp"
#include "detail/transformer.hpp"

namespace ts = tessera;

namespace {

/// The model was trained on texts of at most this many tokens; more are cut off.
constexpr std::size_t longest_text = 256;
/// Sentences that are embedded together when they come from a file.
constexpr std::size_t at_once = 64;

struct options {
  std::string file;
  cli::weights_source weights;
  std::string vocabulary;
  std::string format = "jsonl";
  std::string output;
  bool similarity = false;
  int threads = 1;
};

/// One line of JSON: the text and its embedding.
std::string json_line(std::string const& text, std::span<float const> embedding) {
  nlohmann::ordered_json line;
  line["text"] = text;
  line["embedding"] = std::vector<float>(embedding.begin(), embedding.end());
  return line.dump() + "\n";
}

/// Cosines of all pairs: embeddings have length 1.
std::string similarity_table(std::vector<std::string> const& texts, std::vector<float> const& embeddings) {
  std::size_t const n = texts.size();
  std::size_t const hidden = n > 0 ? embeddings.size() / n : 0;
  std::ostringstream out;
  out << std::fixed << std::setprecision(2);
  out << "      ";
  for (std::size_t j = 0; j < n; ++j) out << std::setw(6) << j + 1;
  out << '\n';
  for (std::size_t i = 0; i < n; ++i) {
    out << std::setw(4) << i + 1 << "  ";
    for (std::size_t j = 0; j < n; ++j) {
      double cosine = 0;
      for (std::size_t k = 0; k < hidden; ++k) cosine += double{embeddings[i * hidden + k]} * embeddings[j * hidden + k];
      out << std::setw(6) << cosine;
    }
    out << "   " << texts[i] << '\n';
  }
  return out.str();
}

class embedder {
 public:
  explicit embedder(options const& o)
      : options_(o), words_(ts::wordpiece::load(o.vocabulary)), encoder_(cli::minilm_l6.open(o.weights, o.threads)),
        progress_("sentences") {
    if (!o.output.empty()) file_.emplace(o.output);
  }

  void run() {
    ts::text_lines lines(options_.file);
    std::size_t number = 0;
    while (auto const line = lines.next()) {
      ++number;
      if (line->find_first_not_of(" \t") == std::string_view::npos) {
        ++blank_;
        continue;
      }
      add(std::string(*line), number);
      // Whoever types or pipes sentences in wants each answered at once.
      if (pending_.size() == (options_.file == "-" ? 1 : at_once)) flush();
    }
    flush();
    progress_.clear();
    if (texts_.empty() && !any_) throw ts::input_error(options_.file + ": no sentence in it", "FILE");
    if (options_.similarity) write(similarity_table(texts_, embeddings_));
    else if (options_.format == "npy") write_npy();
    if (file_) file_->commit();
    cli::flush_output();
    remark(blank_, "blank, and left out: results have no row for them");
    remark(cut_, "longer than " + std::to_string(longest_text) + " tokens, and cut off there");
  }

 private:
  /// A line about lines that are not simply embedded.
  void remark(std::size_t lines, std::string const& what) const {
    if (lines > 0)
      std::cerr << cli::one_line(options_.file) << ": " << lines << (lines == 1 ? " line is " : " lines are ") << what << "\n";
  }

  void add(std::string text, std::size_t number) {
    try {
      auto ids = words_.encode(text, longest_text + 1);
      if (ids.size() > longest_text) {
        ids.erase(ids.end() - 2);   // the last piece before [SEP]
        ++cut_;
      }
      pending_.push_back(ts::models::token_sequence::from(std::span<std::int64_t const>(ids)));
    } catch (ts::input_error const& e) {
      throw ts::input_error(options_.file + ": line " + std::to_string(number) + ": " + e.what(), "FILE");
    }
    pending_texts_.push_back(std::move(text));
  }

  void flush() {
    encoder_->encode(pending_, [&](std::size_t i, cli::arrays made) {
      std::span<float const> const embedding = made[cli::sentence_embedding];
      any_ = true;
      progress_.advance();
      if (options_.similarity || options_.format == "npy") {
        texts_.push_back(pending_texts_[i]);
        embeddings_.insert(embeddings_.end(), embedding.begin(), embedding.end());
      } else {
        if (!file_) progress_.clear();
        write(json_line(pending_texts_[i], embedding));
      }
    });
    if (!file_) std::cout.flush();
    pending_.clear();
    pending_texts_.clear();
  }

  void write(std::string const& text) {
    if (file_) file_->write(text);
    else std::cout << text;
  }
  void write_npy() {
    auto const sentences = static_cast<std::int64_t>(texts_.size());
    std::int64_t const shape[] = {sentences, static_cast<std::int64_t>(embeddings_.size()) / sentences};
    file_.reset();
    ts::npy::write(options_.output, std::span<float const>(embeddings_), shape);
  }

  options const& options_;
  ts::wordpiece words_;
  std::unique_ptr<cli::transformer> encoder_;
  cli::progress progress_;
  std::optional<ts::atomic_file> file_;
  std::vector<ts::models::token_sequence> pending_;
  std::vector<std::string> pending_texts_;
  std::vector<std::string> texts_;
  std::vector<float> embeddings_;
  bool any_ = false;
  std::size_t blank_ = 0, cut_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  options o;
  cli::program program("tessera-embed", "Turns sentences, one a line, into embeddings of length 1 (all-MiniLM-L6-v2).");
  program.app.add_option("FILE", o.file, "Sentences, one a line, up to 256 tokens of each; - for the standard input")->required();
  program.app.add_option("--vocab", o.vocabulary, "The vocabulary, vocab.txt")->required();
  program.app.add_option("--format", o.format, "jsonl (the default): a line of JSON a sentence; npy: one array")
      ->check(CLI::IsMember({"jsonl", "npy"}));
  program.app.add_option("--output", o.output, "File for the result; otherwise the standard output");
  program.app.add_flag("--similarity", o.similarity, "Print the cosine of every pair of sentences instead");
  program.weights(o.weights).threads(o.threads);
  program.app.footer(
      "Examples:\n"
      "  tessera-embed sentences.txt --weights model.safetensors --vocab vocab.txt --similarity\n"
      "  tessera-embed sentences.txt --weights model.safetensors --vocab vocab.txt --format npy --output e.npy");
  return program.run(argc, argv, [&] {
    if (o.format == "npy" && !o.similarity && o.output.empty())
      throw ts::input_error("--format npy: --output FILE says where the array goes", "--output");
    embedder(o).run();
  });
}
