/** Runs of many seeded moments: the suite does the first of them, a minute's worth; with PH_LONG_RUNS=1 all are done (bench/README.md). */
export const ofMany = (first: number, all: number): number => (process.env.PH_LONG_RUNS === '1' ? all : first)
