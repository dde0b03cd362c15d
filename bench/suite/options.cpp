#include "bench/suite/options.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <iterator>

namespace suite {

namespace {

[[noreturn]] void usage(const char* program) {
  std::fprintf(
      stderr,
      "usage: %s [--device cpu|cuda] [--quick] [--only NAMES] [--json FILE] "
      "[--budget SECONDS] [--exclude NAMES] [--check] [--list]\nNAMES: names, parts of names, "
      "groups (A to D)\n",
      program);
  std::exit(2);
}

std::vector<std::string> split(const std::string& list) {
  std::vector<std::string> words;
  for (std::size_t at = 0; at <= list.size();) {
    const std::size_t end = std::min(list.find(',', at), list.size());
    if (end > at) words.push_back(list.substr(at, end - at));
    at = end + 1;
  }
  return words;
}

bool takes_value(const std::string& word) {
  return word == "--only" || word == "--exclude" || word == "--budget";
}

/// A word that is a workload's full name selects only that one.
bool named(const workload& w, const std::vector<std::string>& words,
           const std::vector<workload>& all) {
  return std::any_of(words.begin(), words.end(), [&](const std::string& word) {
    if (word.size() == 1) return word[0] == w.group;
    const bool is_name =
        std::any_of(all.begin(), all.end(), [&](const auto& x) { return x.name == word; });
    return is_name ? word == w.name : w.name.find(word) != w.name.npos;
  });
}

bool wanted(const settings& s, const size& at) {
  if (s.check) return at.what & checked;
  if (s.o.quick && (at.what & large)) return false;
  return s.gpu ? !(at.what & cpu_only) || s.o.quick : !(at.what & large);
}

}  // namespace

settings parse(int count, char** arguments) {
  settings s;
  std::vector<char*> rest{arguments[0]};
  for (int i = 1; i < count; ++i) {
    const std::string word = arguments[i];
    if (word == "--list") {
      s.list = true;
    } else if (word == "--check") {
      s.check = true;
    } else if (word == "--help" || (takes_value(word) && i + 1 == count)) {
      usage(arguments[0]);
    } else if (word == "--only") {
      s.only = split(arguments[++i]);
    } else if (word == "--exclude") {
      s.exclude = split(arguments[++i]);
    } else if (word == "--budget") {
      s.budget = std::atof(arguments[++i]);
    } else {
      rest.push_back(arguments[i]);
    }
  }
  s.o = bench::parse(static_cast<int>(rest.size()), rest.data());
  s.gpu = sn::device(s.o.device).what == sn::device::kind::cuda;
  return s;
}

std::vector<workload> chosen(const settings& s) {
  const std::vector<workload> all = all_workloads();
  std::vector<workload> some;
  std::copy_if(all.begin(), all.end(), std::back_inserter(some), [&](const workload& w) {
    return (s.only.empty() || named(w, s.only, all)) && !named(w, s.exclude, all);
  });
  return some;
}

std::vector<job> jobs_of(const std::vector<workload>& all, const settings& s) {
  std::vector<job> jobs;
  for (const workload& w : all) {
    for (const size& at : w.sizes) {
      if (wanted(s, at)) jobs.push_back({&w, &at});
    }
  }
  return jobs;
}

void list(const std::vector<job>& jobs) {
  for (const auto& [w, at] : jobs) {
    bench::record r("suite");
    r.text("workload", w->name).text("size", at->label).text("dtype", w->type);
    r.flag("checked", at->what & checked).flag("timed", at->what & timed);
    r.number("tolerance", w->tolerance).number("bytes_min", w->bytes(at->d));
    r.number("flops", w->flops(at->d)).number("bytes_sweep", w->sweeps ? w->sweeps(at->d) : 0);
    const dims& d = at->d;
    const std::pair<const char*, suite::index> named[] = {{"n", d.n},
                                                          {"m", d.m},
                                                          {"x", d.x},
                                                          {"y", d.y},
                                                          {"z", d.z},
                                                          {"rows", d.rows},
                                                          {"columns", d.columns},
                                                          {"steps", d.steps}};
    for (const auto& [name, value] : named) r.number(name, static_cast<double>(value));
    std::printf("%s\n", r.json().c_str());
  }
}

}  // namespace suite
