// The reader against arbitrary bytes. The first byte chooses the format, the second how the lines
// are asked for; the rest is the input, compressed if it begins so. Lines are compared with a naive
// splitter, and every line is an event, a bad line or a header.

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <sys/mman.h>
#include <unistd.h>

#include <bloomtime/error.hpp>

#include "logs/event_reader.hpp"
#include "support/require.hpp"
#include "text/usage_error.hpp"

namespace {

using namespace bloomtime;
using support::require;
using namespace bloomtime::logs;
using namespace bloomtime::text;

class memory_file {
 public:
  explicit memory_file(std::string_view bytes) : descriptor_(::memfd_create("input", 0)) {
    require(::write(descriptor_, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()),
            "the input could be written");
  }
  memory_file(const memory_file&) = delete;
  memory_file& operator=(const memory_file&) = delete;
  ~memory_file() { ::close(descriptor_); }

  std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

 private:
  int descriptor_;
};

// Everything, and how it ended.
std::string bytes_of(const std::string& path) {
  std::string all;
  try {
    byte_source source(path);
    std::array<char, 1000> some;
    while (const std::size_t got = source.read(some)) all.append(some.data(), got);
  } catch (const error&) {
    all.erase(all.rfind('\n') + 1);  // a line that was cut is not handed out
  }
  return all;
}

std::vector<std::string> naive_lines(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size() - 1);
    lines.emplace_back(text.substr(0, end + 1));
    text.remove_prefix(end + 1);
  }
  return lines;
}

void check_lines(const std::string& path, const std::vector<std::string>& expected) {
  std::size_t number = 0;
  try {
    byte_source source(path);
    line_reader reader(source);
    while (const event* e = reader.next()) {
      const line& l = e->raw;
      require(number < expected.size() && l.bytes() == expected[number], "lines are exact");
      require(l.ending.empty() || l.ending == "\n" || l.ending == "\r\n", "endings are exact");
      require(l.text.find('\n') == l.text.npos, "a line has no line end inside");
      ++number;
    }
  } catch (const error&) {
  }
  require(number == expected.size(), "all lines were handed out");
}

// `split`: the input is a JSON array, whose elements are the lines.
void check_events(const std::string& path, const input_options& asked, std::size_t lines,
                  bool split) {
  bool ended = true;
  std::uint64_t events = 0;
  event_reader reader(asked, {path});
  try {
    while (const event* e = reader.next()) {
      ++events;
      require(!e->items.empty(), "an event has an item");
    }
  } catch (const usage_error&) {
    return;  // the fields are not there
  } catch (const error&) {
    ended = false;
  }
  const line_counts& counts = reader.counts();
  if (!ended) return;
  if (split) lines = counts.lines;
  require(counts.lines == lines, "all lines are counted");
  require(counts.events == events, "all events are counted");
  require(counts.events + counts.bad_lines() + counts.headers + counts.excluded == lines,
          "nothing is lost");
}

const std::array<std::string, 21> formats{
    "auto",  "common", "combined",    "vhost-combined", "ndjson", "csv",     "tsv",
    "plain", "logfmt", "nginx-error", "apache-error",   "syslog", "w3c",     "cloudfront",
    "alb",   "caddy",  "traefik",     "journald",       "timed",  "pattern", "goaccess"};

input_options options_of(std::uint8_t format, std::uint8_t fields) {
  input_options asked{.format = formats[format % formats.size()]};
  if (asked.format == "pattern") asked.pattern = R"(%h %l %u %t "%r" %>s %b "%{User-Agent}i")";
  if (asked.format == "goaccess") asked.pattern = R"(%h %^[%d:%t %^] "%r"%~%s %b)";
  if (!asked.pattern.empty()) asked.format = "auto";
  if ((fields & 4U) != 0) asked.where = {"line!~x.*y|^z", "1!=2"};
  if ((fields & 8U) != 0) asked.web = asked.no_query = asked.partial = true;
  if ((fields & 16U) != 0) {
    asked.items = {"path", "host", "agent", "family", "site", "message", "severity"};
    asked.group = {"path:2", "host:/24"};
    return asked;
  }
  switch (fields % 4) {
    case 0: return asked;
    case 1: asked.items = {"2", "1,2,3"}; break;
    case 2:
      asked.items = {"host",   "ident", "user", "request", "method,path,protocol",
                     "status", "bytes", "line"};
      break;
    default: asked.items = {"user.id", "item", "user.name,item"}; asked.time = "ts";
  }
  return asked;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const memory_file file({reinterpret_cast<const char*>(data) + 2, size - 2});
  const std::vector<std::string> lines = naive_lines(bytes_of(file.path()));
  for (const std::string& l : lines) {
    if (l.size() > line_reader::longest) return 0;  // comes in pieces; see the unit tests
  }
  check_lines(file.path(), lines);
  std::string text;
  for (const std::string& l : lines) text += l;
  const bool split =
      json_array_splitter::recognises(without_mark(text)) != json_array_splitter::answer::no;
  const bool only_mark = lines == std::vector<std::string>{"\xef\xbb\xbf"};
  check_events(file.path(), options_of(data[0], data[1]), only_mark ? 0 : lines.size(), split);
  return 0;
}
