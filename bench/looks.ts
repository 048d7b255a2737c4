/**
 * Times searches by look over made-up vectors of 256 dimensions, beside pgvector in PGlite, exact and HNSW; and says how many of the ten most
 * like by exact floating-point cosines are among the ten that are found. Prints one markdown table.
 *   npx node --expose-gc bench/looks.ts [--entries 100000,1000000] [--beside 100000] [--questions 100]
 * bench/README.md says what came out.
 */
import { loadavg } from 'node:os'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { PGlite } from '@electric-sql/pglite'
import { vector } from '@electric-sql/pglite-pgvector'
import type { Look } from '../server/looks/embedder.ts'
import { rounded } from '../server/looks/rounding.ts'
import { Catalog } from '../server/search/catalog/catalog.ts'
import { rankByLook } from '../server/search/looks/rank.ts'
import { Vectors } from '../server/search/looks/vectors.ts'
import { matching } from '../server/search/query.ts'
import { type Timing, timeAnswers } from './latency.ts'
import { randomOf } from './props.ts'

const { values } = parseArgs({
  options: {
    entries: { type: 'string', default: '100000,1000000' },
    /** So many in PGlite; 0: leave it out. */
    beside: { type: 'string', default: '100000' },
    questions: { type: 'string', default: '100' },
  },
})

const dimensions = 256
const centres = 2_000
const asked = Number(values.questions)
const random = randomOf(1)

/** Normally distributed, by two even ones (Box and Muller). */
const normal = (): number => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())

/** Some directions hold much more than others, as those of pictures do; kinds of things lie together. */
const spread = Float32Array.from({ length: dimensions }, (_, index) => 1 / Math.sqrt(1 + index / 8))
const kinds = Array.from({ length: centres }, () => Float32Array.from(spread, (size) => size * normal()))

function unit(): Float32Array {
  const kind = kinds[Math.floor(random() * centres)] as Float32Array
  const made = kind.map((value, index) => value + 0.7 * (spread[index] as number) * normal())
  const length = Math.hypot(...made)
  return made.map((value) => value / length)
}

const withoutColours = (shape: Float32Array) => ({ shape, colour: new Float32Array(0) })

const facts = { name: 'made', dimensions: { shape: dimensions, colour: 0 }, colourWeight: 0, hasWords: false }
const rowOf = (id: number) => ({
  ...{
    id,
    name: `SM_${id}`,
    entry_type: 'mesh',
    category: null,
    variant_group_id: null,
    is_variant: false,
    status: 'active' as const,
  },
  ...{
    pack_id: 1,
    blob_size: 1,
    preview_status: 'none' as const,
    review_status: 'draft' as const,
    tri_count: id,
    vert_count: null,
  },
  ...{ material_count: null, lod_count: null, has_collision: null, nanite_enabled: null, longest_edge: null, path_key: null },
  ...{ pushed_from: null, indexed_ms: 0, updated_ms: 0, tag_ids: null },
})

/** The numbers of the most like of a part of all floats, by exact cosines. */
function exactly(all: Float32Array, question: Float32Array, most: number): number[] {
  const best: { number: number; likeness: number }[] = []
  for (let number = 0; number * dimensions < all.length; number++) {
    let likeness = 0
    for (let index = 0; index < dimensions; index++)
      likeness += (all[number * dimensions + index] as number) * (question[index] as number)
    if (best.length === most && likeness <= (best[most - 1]?.likeness ?? 0)) continue
    best.push({ number, likeness })
    best.sort((a, b) => b.likeness - a.likeness)
    if (best.length > most) best.pop()
  }
  return best.map(({ number }) => number)
}

const shareFound = (found: readonly number[], wanted: readonly number[]): number =>
  wanted.filter((one) => found.includes(one)).length / wanted.length

interface Questions {
  questions: readonly Float32Array[]
  /** Of each, the ten most like. */
  truth: readonly (readonly number[])[]
}

interface Line {
  what: string
  timing: Timing
  recall: number | undefined
  more: string
}
const lines: Line[] = []
const ms = (value: number): string => `${value.toFixed(1)} ms`
const asRow = ({ what, timing, recall, more }: Line): string =>
  `| ${what} | ${ms(timing.p50Ms)} | ${ms(timing.p95Ms)} | ${recall?.toFixed(3) ?? ''} | ${more} |\n`

/** The next one may take minutes. */
function tell(line: Line): void {
  lines.push(line)
  process.stderr.write(asRow(line))
}

async function measureOurs(count: number, floats: Float32Array | undefined, { questions, truth }: Questions) {
  globalThis.gc?.()
  const catalog = new Catalog(0, count)
  catalog.labelPack(1, 'Pack')
  const vectors = new Vectors(facts)
  const before = process.memoryUsage().rss
  for (let number = 0; number < count; number++) {
    catalog.set(rowOf(number + 1))
    const own = floats?.subarray(number * dimensions, (number + 1) * dimensions) ?? unit()
    const { shape } = rounded(withoutColours(own))
    vectors.set(catalog.entries.find(number + 1) ?? 0, new Uint8Array(shape.buffer))
  }
  const bytes = (process.memoryUsage().rss - before) / count
  const looks = questions.map(withoutColours)
  const ask = (filters: object) => async (turn: number) =>
    rankByLook(catalog, {
      ...{ vectors, questions: [looks[turn % looks.length] as Look], most: 1_000, least: Number.NEGATIVE_INFINITY },
      select: () => matching(catalog, { filters, question: undefined, pathIds: undefined }),
    })
  const timing = await timeAnswers(ask({}), { most: 300, seconds: 30 })
  // Between two answers the event loop has to turn, or it cannot be said how long it stood still.
  const delay = monitorEventLoopDelay({ resolution: 1 })
  delay.enable()
  for (let turn = 0; turn < 50; turn++) {
    await ask({})(turn)
    await nextTurn()
  }
  delay.disable()
  const stalls = `${bytes.toFixed(0)} bytes an entry with its catalog row; the event loop stood still ${ms(delay.max / 1e6)} at most`
  const recalls: number[] = []
  for (const [turn, wanted] of truth.entries()) {
    const { best } = await ask({})(turn)
    recalls.push(
      shareFound(
        best.slice(0, 10).map(({ row }) => (catalog.entries.ids[row] as number) - 1),
        wanted,
      ),
    )
  }
  const recall = recalls.length > 0 ? recalls.reduce((sum, one) => sum + one, 0) / recalls.length : undefined
  tell({ what: `ph, ${count.toLocaleString('en')}`, timing, recall, more: stalls })
  const few = await timeAnswers(ask({ tri_max: count / 20 }), { most: 300, seconds: 10 })
  tell({ what: `ph, ${count.toLocaleString('en')}, a filter leaves a twentieth`, timing: few, recall: undefined, more: '' })
}

async function measurePgvector(floats: Float32Array, { questions, truth }: Questions) {
  const database = await PGlite.create({ extensions: { vector } })
  await database.exec(`create extension vector; create table one (id integer primary key, look vector(${dimensions}))`)
  const count = floats.length / dimensions
  for (let first = 0; first < count; first += 1_000) {
    const rows = Array.from({ length: Math.min(1_000, count - first) }, (_, index) => {
      const at = (first + index) * dimensions
      return `(${first + index},'[${Array.from(floats.subarray(at, at + dimensions), (value) => value.toFixed(6)).join(',')}]')`
    })
    await database.exec(`insert into one values ${rows.join(',')}`)
  }
  const texts = questions.map((one) => `[${Array.from(one, (value) => value.toFixed(6)).join(',')}]`)
  const ask = async (turn: number, most: number): Promise<number[]> => {
    const found = await database.query<{ id: number }>(`select id from one order by look <=> $1::vector limit ${most}`, [
      texts[turn % texts.length],
    ])
    return found.rows.map(({ id }) => id)
  }
  for (const what of ['exact', 'HNSW']) {
    let more = ''
    if (what === 'HNSW') {
      const started = performance.now()
      await database.exec('create index on one using hnsw (look vector_cosine_ops)')
      more = `index made in ${((performance.now() - started) / 1000).toFixed(0)} s; lists at most 40 with its usual settings`
    }
    const timing = await timeAnswers((turn) => ask(turn, what === 'HNSW' ? 40 : 1_000), { most: 100, seconds: 30 })
    const recalls: number[] = []
    for (const [turn, wanted] of truth.entries()) recalls.push(shareFound(await ask(turn, 10), wanted))
    const recall = recalls.reduce((sum, one) => sum + one, 0) / recalls.length
    tell({ what: `pgvector ${what}, ${count.toLocaleString('en')}`, timing, recall, more })
  }
  await database.close()
}

const questions = Array.from({ length: asked }, unit)
const beside = Number(values.beside)
const shared = beside > 0 ? Float32Array.from({ length: beside * dimensions }) : undefined
if (shared) for (let number = 0; number < beside; number++) shared.set(unit(), number * dimensions)
const truth = shared ? questions.map((question) => exactly(shared, question, 10)) : []
for (const count of values.entries.split(',').map(Number)) {
  const isShared = count === beside
  await measureOurs(count, isShared ? shared : undefined, { questions, truth: isShared ? truth : [] })
}
if (shared) await measurePgvector(shared, { questions, truth })

process.stdout.write(
  `load ${loadavg()
    .map((load) => load.toFixed(1))
    .join(', ')}\n\n| what | p50 | p95 | recall@10 | |\n| --- | --- | --- | --- | --- |\n`,
)
for (const line of lines) process.stdout.write(asRow(line))
