# The kernels' speed over the size of the array, from the figures of bench-kernels:
#
#   build/bench-kernels --op sum --algorithm auto,cub --data uniform,wide \
#       --n 2^10,2^12,2^14,2^16,2^18,2^20,2^22,2^24,2^26,2^28 --csv figures.csv
#   gnuplot -e "csv='figures.csv'" bench/kernels.gp > figures.svg
#
# One panel for each type: ours, and CUB's for the same values (of floats: not exact).
if (!exists("csv")) csv = "figures.csv"
set terminal svg size 900,620 font "sans,12" background "white"
set datafile separator ","
set logscale x 2
set format x "2^{%L}"
set yrange [0:5000]
set ytics 1000
set grid
set key top left samplen 2
set xlabel "values"
set ylabel "GB/s"

# Columns: op, type, data, n, algorithm, us, GB/s, of copy, of CUB.
pick(op, type, data, algorithm) = \
	sprintf("< awk -F, '$1 == \"%s\" && $2 == \"%s\" && $3 == \"%s\" && $5 == \"%s\"' %s", \
		op, type, data, algorithm, csv)

set multiplot layout 2,2
set title "sum of float8, exact"
plot pick("sum", "float8", "uniform", "auto") using 4:7 with linespoints lw 2 title "gpured, uniform", \
	pick("sum", "float8", "wide", "auto") using 4:7 with linespoints title "gpured, wide exponents", \
	pick("sum", "float8", "uniform", "cub") using 4:7 with linespoints dt 2 title "CUB, rounded"
set title "sum of float4, exact"
plot pick("sum", "float4", "uniform", "auto") using 4:7 with linespoints lw 2 title "gpured, uniform", \
	pick("sum", "float4", "wide", "auto") using 4:7 with linespoints title "gpured, wide exponents", \
	pick("sum", "float4", "uniform", "cub") using 4:7 with linespoints dt 2 title "CUB, rounded"
set title "sum of int8, 128 bits"
plot pick("sum", "int8", "uniform", "auto") using 4:7 with linespoints lw 2 title "gpured", \
	pick("sum", "int8", "uniform", "cub") using 4:7 with linespoints dt 2 title "CUB, 64 bits"
set title "sum of int4"
plot pick("sum", "int4", "uniform", "auto") using 4:7 with linespoints lw 2 title "gpured", \
	pick("sum", "int4", "uniform", "cub") using 4:7 with linespoints dt 2 title "CUB"
unset multiplot
