set multiplot layout 1,3 margins 0.07, 0.83, 0.15, 0.83 spacing 0.055, 0 title "Bits per cell over lambda: m = 6 n, k = 4; the basic filter has 16"
@legend_right
set yrange [0:34]
set xrange [0:1]
set xlabel "lambda"
set ylabel "bits per cell"
file = data.'memory.csv'
array streams[3] = ["flat", "zipf 1.0", "blog paths"]
pick(s, c) = stringcolumn(1) eq s ? column(c) : NaN
do for [i = 1:3] {
  s = streams[i]
  set title s
  plot 16 with lines lw 2 lc rgb "#444444" title "basic, 16 bits", \
    file using 2:(pick(s, 4)) with lines lw 2 lc 1 title "used digits", \
    file using 2:(pick(s, 5)) with lines lw 2 lc 2 title "full pool", \
    file using 2:(pick(s, 6)) with lines lw 2 lc 3 title "used, 2 links", \
    file using 2:(pick(s, 7)) with lines lw 2 lc 4 title "full, 2 links"
  unset key
  unset ylabel
}
unset multiplot
