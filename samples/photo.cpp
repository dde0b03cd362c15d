// A photograph through white balance, unsharp mask, tone curve and vignette, from PNG to PNG.

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include <png.h>

#include <sinter/sinter.hpp>

#include "samples/data_file.hpp"

namespace sn = sinter;
using image = sn::array<float>;  // rows, columns, RGB; 0 to 1

namespace {

image read_png(const std::string& path) {
  png_image png{};
  png.version = PNG_IMAGE_VERSION;
  if (!png_image_begin_read_from_file(&png, path.c_str())) {
    throw std::runtime_error(path + ": " + png.message);
  }
  png.format = PNG_FORMAT_RGB;
  std::vector<std::uint8_t> bytes(PNG_IMAGE_SIZE(png));
  if (!png_image_finish_read(&png, nullptr, bytes.data(), 0, nullptr)) {
    throw std::runtime_error(path + ": " + png.message);
  }
  const auto pixels = sn::asarray(bytes, {png.height, png.width, 3});
  return sn::astype<float>(pixels) / 255;
}

void write_png(const std::string& path, const image& x) {
  const auto bytes = sn::astype<std::uint8_t>(sn::round(sn::clip(x, 0, 1) * 255)).to_host();
  png_image png{};
  png.version = PNG_IMAGE_VERSION;
  png.height = static_cast<png_uint_32>(x.shape(0));
  png.width = static_cast<png_uint_32>(x.shape(1));
  png.format = PNG_FORMAT_RGB;
  if (!png_image_write_to_file(&png, path.c_str(), 0, bytes.data(), 0, nullptr)) {
    throw std::runtime_error(path + ": " + png.message);
  }
}

image to_linear(const image& x) {
  return sn::where(x <= 0.04045, x / 12.92, sn::pow((x + 0.055) / 1.055, 2.4));
}

image to_srgb(const image& x) {
  return sn::where(x <= 0.0031308, x * 12.92, 1.055 * sn::pow(x, 1 / 2.4) - 0.055);
}

/// Each pixel of x's inside with its neighbours along the first axis, weighted 1 4 6 4 1.
image blur_rows(const image& x) {
  const auto n = x.shape(0);
  const auto at = [&](std::int64_t i) { return x(sn::slice(i, n - 4 + i)); };
  return (at(0) + 4 * at(1) + 6 * at(2) + 4 * at(3) + at(4)) / 16;
}

/// The blurred picture, without its outermost two pixels.
image blur(const image& x) {
  return sn::swapaxes(blur_rows(sn::swapaxes(blur_rows(x), 0, 1)), 0, 1);
}

image sharpen(const image& x, float amount) {
  const image inside = x(sn::slice(2, -2), sn::slice(2, -2));
  return inside + amount * (inside - blur(x));
}

/// Scales the channels part of the way to a common mean, which removes the lamp's colour.
image balance(const image& x, float strength) {
  const auto means = sn::mean(x, {.axis = {0, 1}});
  return x * sn::pow(sn::mean(means) / means, strength);
}

/// A curve that lifts the middle and rolls the lights off; 1 stays 1.
image tone(const image& x, float exposure) {
  return (1 - sn::exp(-exposure * sn::maximum(x, 0))) / (1 - std::exp(-exposure));
}

image vignette(const image& x, float strength) {
  const auto down = sn::linspace<float>(-1, 1, x.shape(0));
  const auto across = sn::linspace<float>(-1, 1, x.shape(1));
  const auto distance = sn::square(down(sn::_, sn::newaxis)) + sn::square(across);
  return x * (1 - strength * distance)(sn::_, sn::_, sn::newaxis);
}

}  // namespace

int main(int count, char** arguments) try {
  const std::string from = count > 1 ? arguments[1] : samples::data_file("coffee.png");
  const auto stem = std::filesystem::path(from).stem().string();
  const std::string to = count > 2 ? arguments[2] : samples::beside(from, stem + "_toned.png");

  const image photo = read_png(from);
  const image light = balance(to_linear(photo), 0.5f);
  const image result = to_srgb(vignette(tone(sharpen(light, 0.8f), 2.0f), 0.15f));
  write_png(to, result);

  std::printf("%s: %lld x %lld pixels\n%s: written in %lld launches\n", from.c_str(),
              static_cast<long long>(photo.shape(1)), static_cast<long long>(photo.shape(0)),
              to.c_str(), static_cast<long long>(sn::session_statistics().launches));
} catch (const std::exception& e) {
  std::fprintf(stderr, "%s\n", e.what());
  return 1;
}
