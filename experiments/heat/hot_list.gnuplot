set title "Recall of the 100 hottest items, lambda = 0.9"
set logscale x
set xlabel "entries of the list"
set xtics (100, 200, 500, 1000, 2000, 5000)
set ylabel "recall"
set yrange [0:1.05]
set key bottom right
file = data.'hot_list.csv'
pick(s, b) = stringcolumn(1) eq s && stringcolumn(4) eq b && column(2) == 0.9 ? column(5) : 1/0
plot for [i = 1:4] s = (i == 1 ? "zipf 0.8" : i == 2 ? "zipf 1.0" : i == 3 ? "zipf 1.2" : "blog paths") \
    file using 3:(pick(s, "list")) with linespoints lc i lw 2 title s, \
  for [i = 1:4] s = (i == 1 ? "zipf 0.8" : i == 2 ? "zipf 1.0" : i == 3 ? "zipf 1.2" : "blog paths") \
    file using 3:(pick(s, "list and filter")) with linespoints lc i dt 2 lw 2 title s.", with filter"
