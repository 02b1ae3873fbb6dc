#pragma once

#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

namespace bloomtime::logs::samples {

// Lines of one format as servers write them. Line i is stamped 2024-03-01 10:00:00 UTC plus i
// seconds, i below 60.
struct sample {
  const char* format;
  std::string (*line)(int i);
  std::string head = {};  // lines before them
};

inline const char* method(int i) { return i % 3 == 0 ? "POST" : "GET"; }
inline int status(int i) { return i % 5 == 0 ? 404 : 200; }
inline std::string page(int i) { return fmt::format("/shop/{}/item?n={}", i % 4, i); }
inline std::string address(int i) { return fmt::format("192.0.2.{}", 1 + i % 7); }
inline std::string agent(int i) {
  return i % 2 == 0 ? "Mozilla/5.0 (X11; Linux x86_64; rv:120.0) Gecko/20100101 Firefox/120.0"
                    : "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)";
}

inline std::string combined(int i) {
  return fmt::format(R"({} - - [01/Mar/2024:10:00:{:02} +0000] "{} {} HTTP/1.1" {} {} "-" "{}")",
                     address(i), i, method(i), page(i), status(i), 100 + i, agent(i));
}

inline std::string common(int i) {
  return fmt::format(R"({} - frank [01/Mar/2024:11:00:{:02} +0100] "{} {} HTTP/1.0" {} {})",
                     address(i), i, method(i), page(i), status(i), 100 + i);
}

inline std::string nginx_error(int i) {
  if (i % 4 == 3) {
    return fmt::format("2024/03/01 10:00:{:02} [notice] 12#12: signal process started", i);
  }
  return fmt::format(
      R"(2024/03/01 10:00:{:02} [error] 12#34: *{} open() "/www/a, b" failed (2: No such file or )"
      R"(directory), client: {}, server: shop.example, request: "{} {} HTTP/1.1", host: )"
      R"("shop.example", referrer: "https://a.example/")",
      i, 100 + i, address(i), method(i), page(i));
}

inline std::string apache_error(int i) {
  if (i % 2 == 0) {
    return fmt::format("[Fri Mar 01 10:00:{:02} 2024] [error] [client {}] denied: /www/x", i,
                       address(i));
  }
  return fmt::format(
      "[Fri Mar 01 10:00:{:02}.250000 2024] [core:error] [pid 35708:tid 43286] [client {}:41234] "
      "AH00126: Invalid URI, referer: http://a.example/",
      i, address(i));
}

inline std::string syslog(int i) {
  switch (i % 4) {
    case 0: return fmt::format("Mar  1 10:00:{:02} web sshd[{}]: Accepted key for a: b", i, i);
    case 1: return fmt::format("<38>Mar  1 10:00:{:02} web CRON: (root) CMD (true)", i);
    case 2: return fmt::format("2024-03-01T11:00:{:02}.5+01:00 web kernel: usb 1-1: new", i);
    default:
      return fmt::format(
          R"(<165>1 2024-03-01T10:00:{:02}Z web nginx 77 ID47 [a@1 b="c \] d"][e] A message)", i);
  }
}

inline std::string logfmt(int i) {
  return fmt::format(
      R"(time=2024-03-01T10:00:{:02}Z level=info msg="a \"quoted\" text" method={} path={} status={})",
      i, method(i), page(i), status(i));
}

inline std::string w3c(int i) {
  return fmt::format("2024-03-01 10:00:{:02} {} {} /shop/{}/item n={} {} Mozilla/5.0+(X11) {}", i,
                     address(i), method(i), i % 4, i, status(i), 100 + i);
}

inline std::string cloudfront(int i) {
  return fmt::format(
      "2024-03-01\t10:00:{:02}\tFRA2\t{}\t{}\t{}\td1.cloudfront.net\t/shop/{}/item\t{}\t-\t"
      "Mozilla/5.0%20(compatible;%2520Googlebot)\tn={}",
      i, 100 + i, address(i), method(i), i % 4, status(i), i);
}

inline std::string load_balancer(int i) {
  return fmt::format(
      R"(https 2024-03-01T10:00:{:02}.186641Z app/web/50dc6c495c0c9188 {}:2817 10.0.0.1:80 0.000 )"
      R"(0.001 0.000 {} 200 34 {} "{} https://shop.example:443{} HTTP/1.1" "{}" ECDHE TLSv1.2 arn)"
      R"( "Root=1-58337262" "-" "-" 0 2024-03-01T10:00:00.0Z "forward" "-" "-" "-" "-" "-" "-")",
      i, address(i), status(i), 100 + i, method(i), page(i), agent(i));
}

inline std::string caddy(int i) {
  return fmt::format(
      R"({{"level":"info","ts":{}.25,"logger":"http.log.access","msg":"handled request","request":)"
      R"({{"remote_ip":"{}","remote_port":"41342","proto":"HTTP/2.0","method":"{}","host":)"
      R"("shop.example","uri":"{}","headers":{{"Accept":["*/*"],"User-Agent":["{}"]}}}},)"
      R"("bytes_read":0,"duration":0.0009,"size":{},"status":{}}})",
      1709287200 + i, address(i), method(i), page(i), agent(i), 100 + i, status(i));
}

inline std::string traefik(int i) {
  return fmt::format(
      R"({{"ClientAddr":"{0}:5678","ClientHost":"{0}","DownstreamContentSize":{1},"DownstreamStatus")"
      R"(:{2},"RequestHost":"shop.example","RequestMethod":"{3}","RequestPath":"{4}",)"
      R"("request_User-Agent":"{5}","level":"info","time":"2024-03-01T10:00:{6:02}Z"}})",
      address(i), 100 + i, status(i), method(i), page(i), agent(i), i);
}

inline std::string journald(int i) {
  return fmt::format(
      R"({{"__CURSOR":"s=1;i={0}","__REALTIME_TIMESTAMP":"{1}000000","_HOSTNAME":"web","PRIORITY":)"
      R"("3","SYSLOG_IDENTIFIER":"sshd","_SYSTEMD_UNIT":"ssh.service","MESSAGE":{2}}})",
      i, 1709287200 + i, i % 2 == 0 ? R"("Accepted key")" : "[255,254]");
}

inline std::string timed(int i) {
  switch (i % 4) {
    case 0: return fmt::format("2024-03-01T10:00:{:02}Z INFO started a, b", i);
    case 1: return fmt::format("2024-03-01 10:00:{:02},123 INFO started a, b", i);
    case 2: return fmt::format("2024/03/01 10:00:{:02} INFO started a, b", i);
    default: return fmt::format("[2024-03-01 11:00:{:02} +0100] INFO started a, b", i);
  }
}

inline std::vector<sample> all() {
  return {{"common", common},
          {"combined", combined},
          {"nginx-error", nginx_error},
          {"apache-error", apache_error},
          {"syslog", syslog},
          {"logfmt", logfmt},
          {"w3c", w3c,
           "#Software: Microsoft Internet Information Services 10.0\n#Fields: date time c-ip "
           "cs-method cs-uri-stem cs-uri-query sc-status cs(User-Agent) sc-bytes\n"},
          {"cloudfront", cloudfront,
           "#Version: 1.0\n#Fields: date time x-edge-location sc-bytes c-ip cs-method cs(Host) "
           "cs-uri-stem sc-status cs(Referer) cs(User-Agent) cs-uri-query\n"},
          {"alb", load_balancer},
          {"caddy", caddy},
          {"traefik", traefik},
          {"journald", journald},
          {"timed", timed}};
}

inline std::string text_of(const sample& s, int lines) {
  std::string text = s.head;
  for (int i = 0; i < lines; ++i) text += s.line(i) + "\n";
  return text;
}

}  // namespace bloomtime::logs::samples
