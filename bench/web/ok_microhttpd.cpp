// A static "ok" on libmicrohttpd with the settings of web/server.cpp: what `bloomtime serve` is
// compared with (bench/web/run).
#include <cstdlib>

#include <microhttpd.h>
#include <unistd.h>

namespace {

MHD_Response* ok = nullptr;

MHD_Result answer(void*, MHD_Connection* c, const char*, const char*, const char*, const char*,
                  std::size_t*, void** context) {
  static int begun = 0;
  if (*context == nullptr) {
    *context = &begun;
    return MHD_YES;
  }
  return MHD_queue_response(c, MHD_HTTP_OK, ok);
}

}  // namespace

int main(int, char** arguments) {
  static char text[] = "ok\n";
  ok = MHD_create_response_from_buffer(sizeof text - 1, text, MHD_RESPMEM_PERSISTENT);
  MHD_add_response_header(ok, "Content-Type", "text/plain");
  const auto port = static_cast<unsigned short>(std::atoi(arguments[1]));
  MHD_Daemon* const d = MHD_start_daemon(
      MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME, port, nullptr, nullptr, &answer,
      nullptr, MHD_OPTION_THREAD_POOL_SIZE, 2U, MHD_OPTION_CONNECTION_LIMIT, 256U, MHD_OPTION_END);
  if (d == nullptr) return 1;
  ::pause();
  return 0;
}
