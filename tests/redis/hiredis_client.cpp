// What a program that uses hiredis gets from the module. Exit status 0 if all is as expected.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>

#include <hiredis/hiredis.h>

namespace {

using reply = std::unique_ptr<redisReply, void (*)(void*)>;

template <class... Arguments>
reply ask(redisContext* server, const char* format, Arguments... arguments) {
  return {static_cast<redisReply*>(redisCommand(server, format, arguments...)), freeReplyObject};
}

void expect(bool holds, const char* what) {
  if (holds) return;
  std::printf("not so: %s\n", what);
  std::exit(1);
}

}  // namespace

int main(int argc, char** argv) {
  expect(argc == 2, "one argument, the port");
  const std::unique_ptr<redisContext, void (*)(redisContext*)> owner(
      redisConnect("127.0.0.1", std::atoi(argv[1])), redisFree);
  redisContext* const server = owner.get();
  expect(server != nullptr && server->err == 0, "connected");

  const auto first = ask(server, "RECENCY.ADD hooks %b WINDOW %s", "id\0 1", std::size_t{5}, "10m");
  expect(first && first->type == REDIS_REPLY_INTEGER && first->integer == 1, "the first is new");
  const auto second = ask(server, "RECENCY.ADD hooks %b", "id\0 1", std::size_t{5});
  expect(second && second->integer == 0, "the second is a duplicate");

  constexpr int pipelined = 1000;
  for (int i = 0; i < pipelined; ++i) redisAppendCommand(server, "HEAT.ADD pages page%d", i % 10);
  for (int i = 0; i < pipelined; ++i) {
    void* got = nullptr;
    expect(redisGetReply(server, &got) == REDIS_OK, "a reply for each command");
    const reply answer(static_cast<redisReply*>(got), freeReplyObject);
    expect(answer->type == REDIS_REPLY_STRING, "a count is a bulk string in RESP2");
  }
  const auto hot = ask(server, "HEAT.LIST pages COUNT 10");
  expect(hot && hot->type == REDIS_REPLY_ARRAY && hot->elements == 10, "all pages are listed");

  const auto wrong = ask(server, "TALLY.ADD pages x");
  expect(wrong && wrong->type == REDIS_REPLY_ERROR, "another family is refused");
  expect(std::strncmp(wrong->str, "WRONGTYPE ", 10) == 0, "as WRONGTYPE");
}
