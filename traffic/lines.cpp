#include "traffic/lines.hpp"

#include <array>
#include <charconv>
#include <chrono>
#include <cstring>
#include <string_view>

#include "traffic/site.hpp"

namespace bloomtime::traffic {
namespace {

using std::chrono::days;
using std::chrono::seconds;

void put(std::string& out, std::int64_t number) {
  std::array<char, 20> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number);
  out.append(digits.data(), end.ptr);
}

void put_two(std::string& out, std::int64_t number) {
  out += static_cast<char>('0' + number / 10);
  out += static_cast<char>('0' + number % 10);
}

// Mixes the number, so that addresses differ in more than their last digits. All steps are
// bijections of 32 bits.
std::uint32_t scattered(std::uint32_t x) noexcept {
  x = (x + 1) * 0x9e3779b9;
  x = (x ^ (x >> 15)) * 0x2c1b3c6d;
  return x ^ (x >> 16);
}

// 0. to 255. with their lengths.
struct octet {
  std::array<char, 4> text{};
  std::uint8_t size = 0;
};

constexpr std::array<octet, 256> make_octets() {
  std::array<octet, 256> octets;
  for (unsigned n = 0; n < octets.size(); ++n) {
    octet& o = octets[n];
    if (n >= 100) o.text[o.size++] = static_cast<char>('0' + n / 100);
    if (n >= 10) o.text[o.size++] = static_cast<char>('0' + n / 10 % 10);
    o.text[o.size++] = static_cast<char>('0' + n % 10);
    o.text[o.size++] = '.';
  }
  return octets;
}

constexpr std::array<octet, 256> octets = make_octets();

void put_address(std::string& out, item_number item) {
  const std::uint32_t address = scattered(item);
  std::array<char, 16> text;
  std::size_t size = 0;
  for (int shift = 24; shift >= 0; shift -= 8) {
    const octet& o = octets[address >> shift & 255];
    std::memcpy(text.data() + size, o.text.data(), o.text.size());
    size += o.size;
  }
  out.append(text.data(), size - 1);
}

void put_clock(std::string& out, std::int64_t second_of_day) {
  put_two(out, second_of_day / 3600);
  out += ':';
  put_two(out, second_of_day / 60 % 60);
  out += ':';
  put_two(out, second_of_day % 60);
}

// 01/Jan/2014:00:00:03 +0000, or 2014-01-01T00:00:03Z.
std::string time_text(std::int64_t second, bool for_log) {
  constexpr std::string_view months = "JanFebMarAprMayJunJulAugSepOctNovDec";
  const std::chrono::sys_seconds time{seconds(second)};
  const auto day = std::chrono::floor<days>(time);
  const std::chrono::year_month_day date(day);
  const auto month = static_cast<unsigned>(date.month());
  std::string out;
  if (for_log) {
    put_two(out, static_cast<unsigned>(date.day()));
    out += '/';
    out += months.substr((month - 1) * std::size_t{3}, 3);
    out += '/';
    put(out, static_cast<int>(date.year()));
    out += ':';
  } else {
    put(out, static_cast<int>(date.year()));
    out += '-';
    put_two(out, month);
    out += '-';
    put_two(out, static_cast<unsigned>(date.day()));
    out += 'T';
  }
  put_clock(out, (time - day).count());
  out += for_log ? " +0000" : "Z";
  return out;
}

std::string_view sign_of(change what) { return what == change::remove ? "-" : "+"; }

}  // namespace

std::string address_of(item_number item) {
  std::string out;
  put_address(out, item);
  return out;
}

void line_writer::set_second(std::int64_t second) {
  if (second == second_) return;
  second_ = second;
  time_.clear();
  if (form_ == line_form::tsv) {
    put(time_, second);
  } else {
    time_ = time_text(second, form_ == line_form::combined);
  }
}

void line_writer::write(const event& what, std::string& out) {
  if (form_ == line_form::combined) return write(visit_of(what), out);
  set_second(what.second);
  if (form_ == line_form::ndjson) {
    out += R"({"time":")";
    out += time_;
    if (changes_) out += R"(","op":")";
    if (changes_) out += sign_of(what.what);
    out += R"(","item":")";
    put_address(out, what.item);
    out += "\"}\n";
  } else {
    out += changes_ ? sign_of(what.what) : std::string_view(time_);
    out += '\t';
    put_address(out, what.item);
    out += '\n';
  }
}

void line_writer::write(const visit& what, std::string& out) {
  set_second(what.second);
  if (form_ == line_form::combined) return write_combined(what, out);
  const bool json = form_ == line_form::ndjson;
  out += json ? R"({"time":")" : "";
  out += time_;
  out += json ? R"(","host":")" : "\t";
  put_address(out, what.client);
  out += json ? R"(","path":")" : "\t";
  out += paths_[what.page];
  out += json ? R"(","status":)" : "\t";
  put(out, what.status);
  out += json ? R"(,"bytes":)" : "\t";
  put(out, what.bytes);
  if (json) {
    out += R"(,"agent":")";
    out += agent_of(what.client);
    out += "\"}";
  }
  out += '\n';
}

void line_writer::write_combined(const visit& what, std::string& out) const {
  put_address(out, what.client);
  out += " - - [";
  out += time_;
  out += "] \"GET ";
  out += paths_[what.page];
  out += " HTTP/1.1\" ";
  put(out, what.status);
  out += ' ';
  if (what.status == 304) {
    out += '-';
  } else {
    put(out, what.bytes);
  }
  out += " \"";
  if (what.referer == no_page) {
    out += '-';
  } else {
    out += "http://www.example.com";
    out += paths_[what.referer];
  }
  out += "\" \"";
  out += agent_of(what.client);
  out += "\"\n";
}

}  // namespace bloomtime::traffic
