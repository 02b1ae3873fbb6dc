#pragma once

#include <string>

#include "cli/web/api.hpp"
#include "web/server.hpp"

namespace bloomtime::cli {

// What /metrics answers, in the text format of Prometheus.
std::string metrics_text(const page_view& see, const duplicate_service* duplicates,
                         const web::server_counts& server);

}  // namespace bloomtime::cli
