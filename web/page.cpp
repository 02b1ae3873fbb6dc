#include "web/page.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <random>
#include <utility>

#include <fmt/format.h>

#include "web/assets.hpp"

namespace bloomtime::web {
namespace {

std::string in_html(std::string_view text) {
  std::string safe;
  for (const char c : text) {
    switch (c) {
      case '&': safe += "&amp;"; break;
      case '<': safe += "&lt;"; break;
      case '>': safe += "&gt;"; break;
      case '"': safe += "&quot;"; break;
      default: safe += c;
    }
  }
  return safe;
}

// JSON has < only in strings, where \u003c is the same. So nothing in it ends the script.
std::string in_script(std::string_view json) {
  std::string safe;
  safe.reserve(json.size() + json.size() / 64);
  for (const char c : json) {
    if (c == '<') {
      safe += "\\u003c";
    } else {
      safe += c;
    }
  }
  return safe;
}

}  // namespace

std::string content_policy(std::string_view nonce) {
  return fmt::format(
      "default-src 'none'; script-src 'nonce-{0}'; style-src 'nonce-{0}'; connect-src 'self'; "
      "img-src data:; base-uri 'none'; form-action 'none'",
      nonce);
}

std::string random_nonce() {
  std::random_device device;
  std::string text;
  for (int i = 0; i < 4; ++i) text += fmt::format("{:08x}", device());
  return text;
}

std::string page_with(std::string_view title, std::string_view document, std::string_view nonce,
                      bool live) {
  const std::array<std::pair<std::string_view, std::string>, 7> parts{{
      {"title", in_html(title)},
      {"policy", content_policy(nonce)},
      {"nonce", std::string(nonce)},
      {"live", live ? "true" : "false"},
      {"style", std::string(assets::style)},
      {"script", std::string(assets::script)},
      {"document", in_script(document)},
  }};
  std::string page;
  std::string_view rest = assets::index;
  while (!rest.empty()) {
    const std::size_t begin = rest.find("{{");
    page += rest.substr(0, begin);
    if (begin == rest.npos) break;
    const std::size_t end = rest.find("}}", begin);
    const std::string_view name = rest.substr(begin + 2, end - begin - 2);
    for (const auto& [key, text] : parts) {
      if (key == name) page += text;
    }
    rest = rest.substr(end + 2);
  }
  return page;
}

}  // namespace bloomtime::web
