set title "Share of all hits that the hottest items get (V1, figure 1); the cross is the papers' log"
set logscale x
set xrange [0.001:1]
set yrange [0:1]
set xtics ("0.1 %%" 0.001, "1 %%" 0.01, "10 %%" 0.1, "100 %%" 1)
set xlabel "hottest items"
set ylabel "share of hits"
set key outside right Left reverse samplen 1.5
file = data.'skew.csv'
array streams[7] = ["blog paths", "blog clients", "hut paths", "zipf 1.2", "zipf 1.0", "zipf 0.8", "flat"]
pick(i) = stringcolumn(1) eq streams[i] ? column(3) : NaN
$papers << EOD
0.1,0.9
EOD
plot for [i = 1:3] file using 2:(pick(i)) with lines lw 2 lc i title streams[i], \
  for [i = 4:7] file using 2:(pick(i)) with lines lw 2 lc i dt 2 title streams[i], \
  $papers using 1:2 with points pt 2 ps 2 lw 3 lc rgb "#000000" title "papers: 10 % get up to 90 %"
