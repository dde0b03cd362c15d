// Standardises a table: sixty-one years of monthly sea surface temperatures, and where El Nino
// shows.

#include <cstdio>
#include <iostream>

#include <sinter/sinter.hpp>

#include "samples/data_file.hpp"

namespace sn = sinter;

int main(int count, char** arguments) {
  const auto path = count > 1 ? arguments[1] : samples::data_file("sea_surface.npy");
  const auto table = sn::load_npy<double>(path);  // years from 1950, months
  std::cout << "degrees Celsius, " << table.shape(0) << " years by " << table.shape(1)
            << " months:\n"
            << sn::to_string(table, {.precision = 2, .threshold = 100}) << "\n\n";

  // Compares with the same month of other years, which removes the seasons.
  const auto usual = sn::mean(table, {.axis = 0});
  const auto spread = sn::stddev(table, {.axis = 0});
  const sn::array<double> anomaly = (table - usual) / spread;
  sn::eval(anomaly);
  std::cout << "standard deviations from the month's mean:\n"
            << sn::to_string(anomaly, {.precision = 2, .threshold = 100}) << "\n\n";
  std::cout << "means after:   " << sn::to_string(sn::mean(anomaly, {.axis = 0}), {.precision = 2})
            << "\nstddevs after: "
            << sn::to_string(sn::stddev(anomaly, {.axis = 0}), {.precision = 2}) << "\n\n";

  const auto yearly = sn::mean(anomaly, {.axis = 1}).to_host();
  std::printf("warm years, two standard deviations or more above at some time:\n");
  const auto peaks = sn::max(anomaly, {.axis = 1}).to_host();
  const auto months = sn::argmax(anomaly, {.axis = 1}).to_host();
  for (std::size_t i = 0; i < peaks.size(); ++i) {
    if (peaks[i] < 2) continue;
    std::printf("  %zu  mean %+.2f, peak %+.2f in month %lld\n", 1950 + i, yearly[i], peaks[i],
                static_cast<long long>(months[i]) + 1);
  }
}
