set multiplot layout 1,3 title "Bits per cell over lambda: m = 6 n, k = 4; the basic filter has 16"
set key top left samplen 1 spacing 0.9
set yrange [0:27]
set xrange [0:1]
set xlabel "lambda"
set ylabel "bits per cell"
file = data.'memory.csv'
do for [s in "flat zipf\\_1.0 blog\\_paths"] {
  name = s eq "flat" ? "flat" : s[1:4] eq "zipf" ? "zipf 1.0" : "blog paths"
  set title name
  plot 16 with lines lw 2 lc rgb "#444444" title "basic, 16 bits", \
    file using 2:(stringcolumn(1) eq name ? column(4) : 1/0) with lines lw 2 title "used digits", \
    file using 2:(stringcolumn(1) eq name ? column(5) : 1/0) with lines lw 2 title "full pool", \
    file using 2:(stringcolumn(1) eq name ? column(6) : 1/0) with lines lw 2 title "used, 2 links", \
    file using 2:(stringcolumn(1) eq name ? column(7) : 1/0) with lines lw 2 title "full, 2 links"
  unset key
}
unset multiplot
