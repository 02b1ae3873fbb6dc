set title "20 new items per epoch, 200 alive, 24 000 cells: absent items that are taken for present"
set logscale x
set xlabel "epochs"
set ylabel "share of absent items"
set key outside right Left reverse samplen 1.5
set yrange [-0.02:1.05]
file = data.'long_run.csv'
pick(f) = stringcolumn(2) eq f ? column(3) : NaN
plot file using 1:(pick("published membership")) with lines lw 7 lc rgb "#bbbbbb" title "published membership filter", \
  file using 1:(pick("its formula")) with lines dt 2 lc rgb "#444444" title "its formula", \
  file using 1:(pick("up")) with lines lw 2 title "counters rounded up", \
  file using 1:(pick("random")) with lines lw 2 title "counters rounded at random", \
  file using 1:(pick("heat_filter")) with lines lw 2 title "heat\\_filter (flushes)"
