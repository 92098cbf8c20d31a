# The kernels' speed over the size of the array, from the figures of bench-kernels:
# docs/kernels.csv, which "make bench-figures" writes where there is a GPU; the picture
# is made by "make bench-chart", anywhere:
#
#   gnuplot -e "csv='docs/kernels.csv'" bench/kernels.gp > docs/kernels.svg
#
# One panel for each operation and type: ours, and CUB's for the same values (of floats:
# not exact).
if (!exists("csv")) csv = "docs/kernels.csv"
set terminal svg size 1250,640 dynamic font "sans,12" background "white"
set datafile separator ","
set logscale x 2
set format x "2^{%L}"
set yrange [0:6000]
set ytics 1000
set grid
set key top left samplen 2
set xlabel "values"
set ylabel "GB/s"

# Columns: op, type, data, n, algorithm, us, GB/s, of copy, of CUB.
pick(op, type, data, algorithm) = \
	sprintf("< awk -F, '$1 == \"%s\" && $2 == \"%s\" && $3 == \"%s\" && $5 == \"%s\"' %s", \
		op, type, data, algorithm, csv)

set multiplot layout 2,3
do for [op in "sum prefix_sum"] {
	do for [type in "float8 float4"] {
		set title (op eq "sum" ? "sum of " : "prefix sums of ").type.", exact" noenhanced
		plot pick(op, type, "uniform", "auto") using 4:7 with linespoints lw 2 title "gpured, uniform", \
			pick(op, type, "wide", "auto") using 4:7 with linespoints title "gpured, wide exponents", \
			pick(op, type, "uniform", "cub") using 4:7 with linespoints dt 2 title "CUB, rounded"
	}
	type = op eq "sum" ? "int8" : "int4"
	set title (op eq "sum" ? "sum of int8, to 128 bits" : "prefix sums of int4, to 64 bits")
	plot pick(op, type, "uniform", "auto") using 4:7 with linespoints lw 2 title "gpured", \
		pick(op, type, "uniform", "cub") using 4:7 with linespoints dt 2 title "CUB, 64 bits"
}
unset multiplot
