// sinter_fuzz: random graphs, run in every available way and compared.
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <sstream>

#include <unistd.h>

#include "ir/passes/pipeline.hpp"
#include "ir/text.hpp"
#include "tests/fuzz/campaign.hpp"
#include "tests/fuzz/program.hpp"
#include "tests/fuzz/shrink.hpp"

namespace {

using namespace sinter;
using namespace sinter::fuzz;

constexpr const char* usage =
    "sinter_fuzz [options]      run random graphs and compare\n"
    "  --seconds N              for so long (SINTER_FUZZ_SECONDS, else 60)\n"
    "  --graphs N               at most so many\n"
    "  --seed N --first N       which ones\n"
    "  --device cpu|cuda|all    where compiled graphs run; host: a GPU's text, on the CPU\n"
    "  --share N                percent of the time for ways that compile (60)\n"
    "  --keep-going             report a failure and go on\n"
    "  --ops                    each op alone on special values, in place of random graphs\n"
    "sinter_fuzz --programs N   run so many programs of the public language instead\n"
    "sinter_fuzz --replay FILE  run the graph of a file\n"
    "sinter_fuzz --shrink FILE  make the graph of a file smaller; a crash is a failure too\n"
    "sinter_fuzz --plan FILE    print what becomes of the graph of a file on a CPU and on a GPU\n"
    "sinter_fuzz --print N      print graph number N\n";

struct arguments {
  campaign_options campaign;
  std::string replay, shrink, plan, self;
  std::int64_t print = -1, programs = 0;
  bool keep_going = false;
};

std::string last_graph;

void crashed(int signal) {
  const char what[] = "\nsinter_fuzz: crashed or hung; the graph is in ";
  if (write(2, what, sizeof what - 1) < 0 || write(2, last_graph.data(), last_graph.size()) < 0 ||
      write(2, "\n", 1) < 0) {
    _exit(3);
  }
  std::signal(signal, SIG_DFL);
  raise(signal == SIGALRM ? SIGABRT : signal);
}

arguments parse(int argc, char** argv) {
  arguments a;
  a.self = argv[0];
  const char* seconds = std::getenv("SINTER_FUZZ_SECONDS");
  a.campaign.seconds = seconds && *seconds ? std::atof(seconds) : 60;
  for (int i = 1; i < argc; ++i) {
    const std::string option = argv[i];
    if (option == "--keep-going") {
      a.keep_going = true;
      continue;
    }
    if (option == "--ops") {
      a.campaign.operations = true;
      continue;
    }
    if (option == "--help" || i + 1 == argc) throw std::invalid_argument(usage);
    const std::string value = argv[++i];
    if (option == "--seconds") a.campaign.seconds = std::stod(value);
    else if (option == "--graphs") a.campaign.graphs = std::stoll(value);
    else if (option == "--seed") a.campaign.seed = std::stoull(value);
    else if (option == "--first") a.campaign.first = std::stoll(value);
    else if (option == "--share") a.campaign.compiled_share = std::stod(value) / 100;
    else if (option == "--replay") a.replay = value;
    else if (option == "--shrink") a.shrink = value;
    else if (option == "--plan") a.plan = value;
    else if (option == "--programs") a.programs = std::stoll(value);
    else if (option == "--print") a.print = std::stoll(value);
    else if (option == "--device") {
      a.campaign.simulated = value == "host";
      a.campaign.compiled = value == "cpu" || value == "all";
      a.campaign.cuda = value == "cuda" || value == "all";
    } else throw std::invalid_argument(usage);
  }
  return a;
}

trial read(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::invalid_argument(path + ": not found");
  std::stringstream text;
  text << file.rdbuf();
  return parse_trial(text.str());
}

int replay(const std::string& path) {
  const trial t = read(path);
  sinter::ir::verify(t.graph);
  executor e;
  int wrong = 0;
  for (int w = 0; w < way_count; ++w) {
    const auto how = static_cast<way>(w);
    if (!e.available(how)) continue;
    std::vector<way> ways{how};
    // Fused and unfused runs are also compared with each other.
    const bool pair = how == way::interpreted_unfused || how == way::gpu_interpreted_unfused ||
                      how == way::compiled_unfused || how == way::cuda_unfused;
    if (pair) ways.insert(ways.begin(), static_cast<way>(w - 1));
    const auto f = e.check(t, ways);
    if (f && f->how != how) continue;
    std::cout << name(how) << ": " << (f ? f->what : "as expected") << std::endl;
    wrong += f ? 1 : 0;
  }
  return wrong > 0;
}

std::string text_of(const ir::fusion& f) {
  std::string out;
  for (const ir::group& x : f.groups) {
    out += "# group over " + ir::detail::list_text(x.domain) + " reducing " +
           ir::detail::list_text(x.reduced_shape()) + " stores";
    for (ir::node_id r : x.roots) out += " %" + std::to_string(r);
    for (const std::string& r : x.refusals) out += "\n#   " + r;
    out += "\n";
  }
  return out;
}

int plan(const std::string& path) {
  const trial t = read(path);
  for (const auto target : {ir::target::cpu, ir::target::gpu}) {
    ir::machine m = t.machine;
    m.target = target;
    ir::observer watch;
    watch.after_fusion = [](const ir::graph& g, const ir::fusion& f) {
      std::cout << ir::print(g) << text_of(f);
    };
    for (const ir::kernel& k : ir::make_plan(t.graph, m, watch).kernels) {
      std::cout << ir::print(k) << "\n";
    }
  }
  return 0;
}

/// Runs every attempt in a process of its own.
int shrink(const arguments& a) {
  const std::string path = last_graph + ".attempt";
  const fails still = [&](const trial& t) {
    std::ofstream(path, std::ios::trunc) << print(t);
    return std::system(("'" + a.self + "' --replay '" + path + "' >/dev/null 2>&1").c_str()) != 0;
  };
  const trial t = read(a.shrink);
  if (!still(t)) {
    std::cout << "it does not fail\n";
    return 1;
  }
  std::cout << print(shrink_graph(t, still, a.campaign.seconds));
  std::remove(path.c_str());
  return 0;
}

int run(const arguments& a) {
  executor e;
  campaign_options o = a.campaign;
  std::int64_t failures = 0, graphs = 0, compiled = 0;
  double seconds = 0;
  for (;;) {
    const campaign_report r = run_campaign(e, o);
    graphs += r.graphs;
    compiled += r.compiled_graphs;
    seconds += r.seconds;
    if (r.slowest_seconds > 3) {
      std::printf("graph %lld took %.1f s\n", static_cast<long long>(r.slowest), r.slowest_seconds);
    }
    if (!r.first_failure) break;
    ++failures;
    std::cout << text_of(*r.first_failure, o.seed) << std::endl;
    o.first = r.first_failure->number + 1;
    o.seconds -= r.seconds;
    o.graphs -= r.graphs;
    if (!a.keep_going || o.seconds <= 0 || o.graphs <= 0) break;
  }
  std::printf("%lld graphs in %.1f s (%.0f a second), %lld of them compiled (%lld kernels), "
              "%lld failures\n",
              static_cast<long long>(graphs), seconds, static_cast<double>(graphs) / seconds,
              static_cast<long long>(compiled), static_cast<long long>(e.compiled()),
              static_cast<long long>(failures));
  const strictness& k = e.known();
  const double all = static_cast<double>(k.exact + k.bounded + k.unknown) / 100;
  std::printf("of the elements %.0f%% had to be the same bits, %.0f%% near, %.0f%% were anything\n",
              static_cast<double>(k.exact) / all, static_cast<double>(k.bounded) / all,
              static_cast<double>(k.unknown) / all);
  return failures > 0;
}

int run_programs(const arguments& a) {
  executor e;
  const campaign_options& o = a.campaign;
  const program_report r = run_programs(e, o.seed, o.first, a.programs, o.seconds);
  std::printf("%lld programs of %lld steps in %.1f s, %lld functions over slices, %lld refused\n",
              static_cast<long long>(r.programs), static_cast<long long>(r.steps), r.seconds,
              static_cast<long long>(r.looped), static_cast<long long>(r.refused));
  if (r.first_failure.empty()) return 0;
  std::cout << "# seed " << o.seed << " program " << r.failed << ": " << r.first_failure << "\n";
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    arguments a = parse(argc, argv);
    setenv("SINTER_CACHE", "off", 1);  // nobody else needs kernels of random graphs
    const char* folder = std::getenv("TMPDIR");
    last_graph = std::string(folder && *folder ? folder : "/tmp") + "/sinter_fuzz_" +
                 std::to_string(getpid()) + ".graph";
    if (a.print >= 0) return std::cout << print(make_trial(a.campaign.seed, a.print)), 0;
    if (!a.replay.empty()) return replay(a.replay);
    if (!a.shrink.empty()) return shrink(a);
    if (!a.plan.empty()) return plan(a.plan);
    for (int s : {SIGSEGV, SIGABRT, SIGFPE, SIGBUS, SIGILL, SIGALRM}) std::signal(s, crashed);
    a.campaign.last_graph = last_graph;
    alarm(static_cast<unsigned>(a.campaign.seconds) + 600);
    const int status = a.programs ? run_programs(a) : run(a);
    std::remove(last_graph.c_str());
    return status;
  } catch (const std::exception& e) {
    std::cerr << e.what() << "\n";
    return 2;
  }
}
