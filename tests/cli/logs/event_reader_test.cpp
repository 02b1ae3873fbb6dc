#include <gtest/gtest.h>

#include <cstdint>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/logs/input_support.hpp"
#include "support/expect_error.hpp"
#include "text/usage_error.hpp"

namespace bloomtime::logs {
namespace event_reader_test {

using namespace text;

using rows = std::vector<std::vector<std::string>>;

const std::string combined_line =
    R"(192.0.2.1 - - [10/Oct/2000:13:55:36 -0700] "GET /a HTTP/1.0" 200 23 "-" "agent")";
constexpr std::int64_t its_time = 971'211'336'000'000;

std::string refusal(std::string_view text, const input_options& asked) {
  try {
    (void)read_text(text, asked);
  } catch (const usage_error& e) {
    return e.what();
  }
  return "nothing was refused";
}

bool mentions(const std::string& text, std::string_view part) {
  return text.find(part) != text.npos;
}

TEST(event_reader, combined_log) {
  const heard got = read_text(combined_line + "\n" + combined_line + "\r\n" + combined_line);
  EXPECT_EQ(got.items, (rows(3, {"/a", "192.0.2.1"})));
  for (const auto& t : got.times) EXPECT_EQ(t, instant(its_time));
  EXPECT_EQ(got.raw, combined_line + "\n" + combined_line + "\r\n" + combined_line);
  EXPECT_EQ(got.zone, -7 * 3600);
  ASSERT_EQ(got.notes.size(), 1U);
  EXPECT_TRUE(got.notes[0].ends_with("input: combined log; items path and host; time time"))
      << got.notes[0];
}

TEST(event_reader, every_field_of_a_log_by_name_and_number) {
  const std::string vhost_line = "example.org:80 " + combined_line + " 0.25";
  const heard got = read_text(
      vhost_line,
      {.items = {"vhost", "host", "ident", "user", "time", "request", "method", "path", "protocol",
                 "status", "bytes", "referer", "agent", "11", "2", "line", "host,path"}});
  EXPECT_EQ(got.items, (rows{{"example.org:80", "192.0.2.1", "-", "-", "10/Oct/2000:13:55:36 -0700",
                              "GET /a HTTP/1.0", "GET", "/a", "HTTP/1.0", "200", "23", "-", "agent",
                              "0.25", "192.0.2.1", vhost_line, "192.0.2.1,/a"}}));
}

TEST(event_reader, common_log) {
  const std::string line = R"(h - - [10/Oct/2000:13:55:36 -0700] "GET /a HTTP/1.0" 200 -)";
  EXPECT_EQ(read_text(line, {.items = {"bytes"}}).items, (rows{{"-"}}));
  EXPECT_TRUE(mentions(refusal(line, {.items = {"agent"}}), "has no field agent; it has host, "));
}

TEST(event_reader, unknown_fields_are_told_with_the_known_ones) {
  const std::string told = refusal(combined_line, {.items = {"hots"}});
  EXPECT_TRUE(mentions(told, "Did you mean host?")) << told;
  EXPECT_TRUE(mentions(told, "referer, agent")) << told;
  EXPECT_TRUE(mentions(refusal("1,a\n2,b\n", {.items = {"host"}}), "no header"));
  EXPECT_TRUE(mentions(refusal("x\n", {.format = "njson"}), "Did you mean ndjson?"));
  EXPECT_TRUE(mentions(refusal("x\n", {.items = {"a,,b"}}), "joined by commas"));
}

TEST(event_reader, ndjson) {
  const std::string text =
      "{\"time\":\"2000-10-10T20:55:36Z\",\"user\":{\"id\":7,\"name\":\"J\\u00f6rg\"},"
      "\"a.b\":true}\n"
      "{\"a.b\" : false , \"user\" : { \"name\":\"\\\"\", \"id\" : -1.5e3 } , \"time\":971211336}\n"
      "{\"time\":971211336,\"user\":{\"id\":null,\"name\":\"x\"},\"a.b\":1}\n"
      "{\"time\":971211336,\"user\":[1],\"a.b\":1}\n"
      "{\"time\":971211336,\"user\":{\"id\":{},\"name\":1},\"a.b\":1}\n"
      "{\"time\":971211336\n"
      "[]\n\n"
      "{\"user\":{\"id\":1,\"name\":1},\"a.b\":1}\n";
  const heard got = read_text(text, {.items = {"user.id", "user.name", "a.b"}});
  EXPECT_EQ(got.items, (rows{{"7", "Jörg", "true"}, {"-1.5e3", "\"", "false"}}));
  for (const auto& t : got.times) EXPECT_EQ(t, instant(its_time));
  EXPECT_EQ(got.bad(bad_line::no_item), 3U);
  EXPECT_EQ(got.bad(bad_line::other_format), 2U);
  EXPECT_EQ(got.bad(bad_line::empty), 1U);
  EXPECT_EQ(got.bad(bad_line::no_time), 1U);
  EXPECT_TRUE(mentions(refusal(text, {}), "it has time, user.id, user.name, a.b"));
}

TEST(event_reader, csv_with_and_without_header) {
  const heard with = read_text("time,who,what\n1700000000,\"a,\"\"b\",x\n1700000001,c,\n");
  EXPECT_EQ(with.items, (rows{{"a,\"b"}, {"c"}}));
  EXPECT_EQ(with.counts.headers, 1U);
  EXPECT_EQ(with.times[1], instant(1'700'000'001'000'000));
  const heard without =
      read_text("1700000000,a\n1700000001,\"b\n1700000002,c\n1700000003\n", {.format = "csv"});
  EXPECT_EQ(without.items, (rows{{"a"}, {"c"}}));
  EXPECT_EQ(without.bad(bad_line::other_format), 1U);
  EXPECT_EQ(without.bad(bad_line::no_item), 1U);
  // Names that were asked for make a header of the first line.
  EXPECT_EQ(read_text("name,city\nx,y\n", {.format = "csv", .items = {"city"}}).items,
            (rows{{"y"}}));
  EXPECT_EQ(read_text("\xef\xbb\xbftime,who\n1,a\n", {.items = {"who"}, .time = "time"}).items,
            (rows{{"a"}}));
}

TEST(event_reader, tsv_as_bloomtime_writes_it) {
  const heard got = read_text("1700000000\ta\\tb\n1700000001\tc\n");
  EXPECT_EQ(got.items, (rows{{"a\tb"}, {"c"}}));
  EXPECT_EQ(got.times[0], instant(1'700'000'000'000'000));
}

TEST(event_reader, plain_lines_are_bytes) {
  const std::string text("one\n\na b\xff\0c\r\nlast", 17);
  const heard got = read_text(text);
  EXPECT_EQ(got.items, (rows{{"one"}, {""}, {std::string("a b\xff\0c", 6)}, {"last"}}));
  EXPECT_EQ(got.times[0], std::nullopt);
  EXPECT_EQ(got.raw, text);
  EXPECT_EQ(read_text("hello, world\nwell, well\n").items.size(), 2U);
  EXPECT_EQ(read_text("x  y\nz\n", {.items = {"2"}}).items, (rows{{"y"}}));
}

TEST(event_reader, nothing_at_all) {
  const heard got = read_text("", {.items = {"host"}});
  EXPECT_EQ(got.counts.lines, 0U);
  EXPECT_TRUE(got.notes.at(0).ends_with("input: empty"));
}

TEST(event_reader, bad_lines_are_counted_sampled_and_kept) {
  const support::temporary_directory folder;
  std::string text;
  std::string bad;
  for (int i = 0; i < 300; ++i) {
    const bool fits = i < 150;
    const std::string line =
        fits ? combined_line + "\n" : "{\"line\": \"" + std::to_string(i) + "\xff\"}\r\n";
    text += line;
    if (!fits) bad += line;
  }
  const std::string rejects = (folder / "rejects").string();
  const heard got = read_files({write_text(folder / "log", text)}, {.rejects = rejects});
  EXPECT_EQ(got.counts.lines, 300U);
  EXPECT_EQ(got.counts.events, 150U);
  EXPECT_EQ(got.counts.bad_lines(), 150U);
  const auto kept = support::read_file(rejects);
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(kept.data()), kept.size()), bad);
  ASSERT_EQ(got.notes.size(), 1U + 3 + 2);
  EXPECT_TRUE(mentions(got.notes[1], "line 151 has no field path or time: ")) << got.notes[1];
  EXPECT_TRUE(mentions(got.notes[1], "\\xff")) << got.notes[1];
  EXPECT_TRUE(mentions(got.notes[4], "150 of 300 lines rejected")) << got.notes[4];
  EXPECT_TRUE(mentions(got.notes[5], "from line 201 on")) << got.notes[5];
}

TEST(event_reader, strict_stops_at_the_first) {
  support::expect_error(
      errc::corrupt,
      [] { (void)read_text(combined_line + "\n" + combined_line + "\nx\n", {.strict = true}); },
      "input: line 3 has no field path or time: ");
}

TEST(event_reader, impossible_and_unreadable_times) {
  const heard got = read_text(
      "h - - [31/Feb/2000:13:55:36 -0700] \"q\" 1 1\n"
      "h - - [tomorrow] \"q\" 1 1\nh\n",
      {.format = "common", .items = {"host"}});
  EXPECT_EQ(got.bad(bad_line::impossible_time), 1U);
  EXPECT_EQ(got.bad(bad_line::unreadable_time), 1U);
  EXPECT_EQ(got.bad(bad_line::no_time), 1U);
}

TEST(event_reader, lines_beyond_the_limit) {
  const support::temporary_directory folder;
  const std::size_t limit = line_reader::longest;
  const std::string most(limit, 'm');
  const std::string over(limit + 1, 'o');
  const std::string far_over(5 * limit, 'f');
  const std::string text =
      "a\n" + most + "\r\n" + over + "\n" + far_over + "\r\n" + "b\n" + far_over;
  const std::string rejects = (folder / "rejects").string();
  const heard got = read_files({write_text(folder / "log", text)}, {.rejects = rejects});
  EXPECT_EQ(got.items, (rows{{"a"}, {most}, {"b"}}));
  EXPECT_EQ(got.bad(bad_line::too_long), 3U);
  EXPECT_EQ(got.counts.lines, 6U);
  const auto kept = support::read_file(rejects);
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(kept.data()), kept.size()),
            over + "\n" + far_over + "\r\n" + far_over);
}

TEST(event_reader, several_files_each_with_its_format) {
  const support::temporary_directory folder;
  const std::string rejects = (folder / "rejects").string();
  const heard got = read_files(
      {write_text(folder / "a", "1700000000,x\n1700000001"), write_text(folder / "b", ""),
       write_text(folder / "c", "1700000000\ty\n1700000002\tz\n170\n")},
      {.items = {"2"}, .rejects = rejects});
  EXPECT_EQ(got.items, (rows{{"x"}, {"y"}, {"z"}}));
  EXPECT_EQ(got.counts.lines, 5U);
  const auto kept = support::read_file(rejects);
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(kept.data()), kept.size()),
            "1700000001\n170\n");
}

TEST(event_reader, what_cannot_be_read) {
  const support::temporary_directory folder;
  const std::string there = write_text(folder / "there", "x\n");
  support::expect_error(
      errc::io,
      [&] {
        (void)read_files({there, (folder / "gone").string()}, {});
      },
      "cannot open");
  support::expect_error(
      errc::io, [&] { (void)read_files({folder.path().string()}, {}); }, "is a directory");
  EXPECT_THROW((void)read_files({"-", "-"}, {}), usage_error);
  EXPECT_THROW((void)read_files({there}, {.rejects = there}), usage_error);
  EXPECT_EQ(support::read_file(there).size(), 2U);
  support::expect_error(
      errc::io, [&] { (void)read_files({there}, {.rejects = folder.path().string()}); },
      "cannot write rejected lines");
}

TEST(event_reader, rejects_on_a_full_disk) {
  support::expect_error(
      errc::io, [] { (void)read_text(combined_line + "\nx\n", {.rejects = "/dev/full"}); },
      "cannot write rejected lines to /dev/full");
}

// Every line with its bytes, and what it is, as dedupe passes them on.
std::pair<std::string, std::vector<event::kind>> all_lines(const std::string& path,
                                                           const input_options& asked,
                                                           bool in_batches) {
  std::string bytes;
  std::vector<event::kind> kinds;
  event_reader reader(asked, {path});
  for (const event* e = reader.next_line(); e != nullptr;) {
    bytes += e->raw.bytes();
    if (e->begins) kinds.push_back(e->what);
    const event* more = in_batches ? reader.next_buffered() : nullptr;
    e = more != nullptr ? more : reader.next_line();
  }
  return {bytes, kinds};
}

TEST(event_reader, hands_out_every_line_with_its_bytes) {
  using enum event::kind;
  const support::temporary_directory folder;
  const std::string text = "\xef\xbb\xbftime,id\r\n1700000000,a\n\nx,b\n" +
                           std::string(3 * line_reader::longest, 'f') + "\n1700000001,c";
  const std::string path = write_text(folder / "log", text);
  for (const bool in_batches : {false, true}) {
    const auto [bytes, kinds] = all_lines(path, {}, in_batches);
    EXPECT_EQ(bytes, text);
    EXPECT_EQ(kinds, (std::vector{header, event, bad, bad, bad, event}));
  }
  const auto [bytes, kinds] = all_lines(write_text(folder / "mark", "\xef\xbb\xbf"), {}, true);
  EXPECT_EQ(bytes, "\xef\xbb\xbf");
  EXPECT_EQ(kinds, std::vector{mark});
  EXPECT_EQ(read_text("\xef\xbb\xbf").counts.lines, 0U);
}

TEST(event_reader, lines_that_are_read_already_stay_where_they_are) {
  const support::temporary_directory folder;
  event_reader reader({}, {write_text(folder / "log", "a\nbb\nccc")});
  const std::string_view first = reader.next_line()->raw.bytes();
  const std::string_view second = reader.next_buffered()->raw.bytes();
  EXPECT_EQ(reader.next_buffered(), nullptr);  // the last line may not have come to its end
  EXPECT_EQ(first, "a\n");
  EXPECT_EQ(second, "bb\n");
  EXPECT_EQ(reader.next_line()->raw.bytes(), "ccc");
  EXPECT_EQ(reader.next_line(), nullptr);
}

TEST(event_reader, stops_after_the_last_complete_line) {
  const support::temporary_directory folder;
  const std::string path = write_text(folder / "log", "a\nb\nhalf");
  bool stop = false;
  event_reader reader({}, {path, path}, {.stop = [&] { return stop; }});
  EXPECT_EQ(reader.next()->text, "a");
  stop = true;
  EXPECT_EQ(reader.next()->text, "b");
  EXPECT_EQ(reader.next(), nullptr);
}

TEST(event_reader, a_first_file_without_timestamps_decides_for_the_others) {
  const support::temporary_directory folder;
  const std::string plain = write_text(folder / "plain", "x\n");
  const std::string timed = write_text(folder / "timed", "{\"time\":1700000000,\"line\":\"y\"}\n");
  const input_options asked{.items = {"line"}};
  EXPECT_EQ(read_files({plain, timed}, asked).times,
            (std::vector<std::optional<instant>>{std::nullopt, std::nullopt}));
  EXPECT_EQ(read_files({timed, timed}, asked).times,
            (std::vector<std::optional<instant>>(2, instant::from_seconds(1'700'000'000))));
  EXPECT_EQ(read_files({timed, plain}, asked).times.back(), std::nullopt);
}

TEST(event_reader, whole_lines_have_a_time_and_no_items) {
  const support::temporary_directory folder;
  const std::string path = write_text(folder / "log", combined_line + "\nnonsense\n");
  event_reader reader({.items = {"line"}, .whole_line = true}, {path});
  const event* e = reader.next();
  EXPECT_EQ(e->text, combined_line);
  EXPECT_EQ(e->at, instant(its_time));
  EXPECT_TRUE(e->items.empty());
  EXPECT_EQ(reader.next(), nullptr);
  EXPECT_EQ(reader.counts().bad_lines(), 1U);
}

// How a log is read whose last line is half written when it is truncated.
struct torn {
  std::vector<std::string> items;
  std::uint64_t bad = 0;
  std::vector<std::uint64_t> offsets;  // where files ended
};

torn read_truncated(const std::string& half, bool remembers, unsigned threads) {
  const support::temporary_directory folder;
  const std::string lines = "1700000001\ta\n1700000002\tb\n";
  const std::string path = write_text(folder / "log", lines + half);
  int waits = 0;
  torn got;
  listener told{.stop = [&] { return waits > 3; },
                .wait =
                    [&](int descriptor) {
                      if (descriptor >= 0) return true;
                      if (++waits == 1) std::ofstream(path) << "1700000009\tc\n";  // the same file
                      return false;
                    },
                .finished = [&](const file_reading& r) { got.offsets.push_back(r.offset); }};
  if (remembers) told.start = [](const std::string&) { return file_start(); };
  event_reader reader({.format = "tsv", .items = {"2"}, .time = "1", .follow = true}, {path}, told,
                      std::make_shared<workers>(threads));
  while (const event* e = reader.next()) got.items.emplace_back(e->items[0]);
  got.bad = reader.counts().bad_lines();
  return got;
}

TEST(event_reader, half_a_line_of_a_truncated_log_is_left_to_its_copy) {
  const std::vector<std::string> whole{"a", "b", "c"};
  for (const unsigned threads : {1U, 2U}) {
    for (const char* half : {"17000", "1700000003\tx"}) {
      const torn left = read_truncated(half, true, threads);
      EXPECT_EQ(left.items, whole);
      EXPECT_EQ(left.bad, 0U);
      EXPECT_EQ(left.offsets, (std::vector<std::uint64_t>{26, 13}));
    }
    // The beginning of a line that is too long was rejected when it came.
    const torn long_line = read_truncated(std::string((1U << 20) + 99, 'x'), true, threads);
    EXPECT_EQ(long_line.items, whole);
    EXPECT_EQ(long_line.bad, 1U);
    // Who does not continue files later gets all bytes.
    const torn passed = read_truncated("17000", false, threads);
    EXPECT_EQ(passed.items, whole);
    EXPECT_EQ(passed.bad, 1U);
    EXPECT_EQ(passed.offsets, (std::vector<std::uint64_t>{31, 13}));
  }
}

TEST(event_reader, counts_the_fields_that_lines_lack) {
  const support::temporary_directory folder;
  const std::string path =
      write_text(folder / "log", "{\"a\":1,\"b\":2}\n{\"a\":1}\n{\"b\":2}\n{\"a\":1}\n{}\n");
  std::vector<std::string> notes;
  event_reader reader({.items = {"a,b"}}, {path},
                      {.note = [&](std::string_view note) { notes.emplace_back(note); }});
  while (reader.next() != nullptr) {
  }
  ASSERT_EQ(reader.lacking().size(), 2U);
  EXPECT_EQ(reader.lacking()[0].name + std::to_string(reader.lacking()[0].lines), "b2");
  EXPECT_EQ(reader.lacking()[1].name + std::to_string(reader.lacking()[1].lines), "a2");
  EXPECT_TRUE(mentions(notes.at(1), "line 2 has no field b; it has a: ")) << notes.at(1);
  EXPECT_EQ(reader.field_names(), (std::vector<std::string>{"a", "b"}));
}

}  // namespace event_reader_test
}  // namespace bloomtime::logs
