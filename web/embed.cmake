# Writes assets.cpp: the files of web/page as strings. Called by the build with -DPAGE=, -DOUT=,
# -DSTYLES= and -DSCRIPTS= (names in their order, separated by commas).

# A compiler limits the length of one string literal, but not that of neighbours.
function(add_string name)
  set(text "")
  foreach(file IN LISTS ARGN)
    file(READ "${PAGE}/${file}" part)
    string(APPEND text "${part}")
  endforeach()
  string(LENGTH "${text}" length)
  set(literals "")
  set(begin 0)
  while(begin LESS length)
    string(SUBSTRING "${text}" ${begin} 8000 part)
    string(APPEND literals "R\"asset(${part})asset\"\n")
    math(EXPR begin "${begin} + 8000")
  endwhile()
  set(written "${written}const std::string_view ${name} =\n${literals};\n" PARENT_SCOPE)
endfunction()

string(REPLACE "," ";" STYLES "${STYLES}")
string(REPLACE "," ";" SCRIPTS "${SCRIPTS}")
set(written "")
add_string(index index.html)
add_string(style ${STYLES})
add_string(script ${SCRIPTS})
add_string(openapi openapi.json)
file(WRITE "${OUT}" "#include \"web/assets.hpp\"\n\nnamespace bloomtime::web::assets {\n${written}}\n")
