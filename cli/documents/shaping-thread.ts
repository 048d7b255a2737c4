/** A thread that shapes documents, by jq itself as WebAssembly or by LiquidJS: an endless expression is ended with it. See shaper.ts. */
import { parentPort, workerData } from 'node:worker_threads'
import { printableJson } from '../../system/printable.ts'
import type { Shape } from './shape.ts'

/** Once: whether the shape can be used at all; then for each document, in order, what is printed of it. */
export type ShapingReport =
  | { kind: 'ready' }
  | { kind: 'refused'; why: string }
  | { kind: 'shaped'; text: string; remarks: string; failed?: string }

type ShapeOne = (document: string) => Omit<Extract<ShapingReport, { kind: 'shaped' }>, 'kind'>

class Unusable extends Error {}

const report = (message: ShapingReport) => parentPort?.postMessage(message)

async function jqOf(expression: string): Promise<ShapeOne> {
  const { loadJq } = await import('jq-wasm')
  const jq = await loadJq()
  // An expression that begins with a dash would be an option of jq.
  const query = ` ${expression}`
  const ask = (document: string) => {
    try {
      return jq.raw(document, query, ['-c'])
    } catch {
      return { stdout: '', stderr: 'jq: error: it needs more memory than there is', exitCode: outOfMemory }
    }
  }
  // Without input it is compiled and not run.
  const compiled = ask('')
  if (compiled.exitCode !== 0) throw new Unusable(compiled.stderr)
  return (document) => {
    const { stdout, stderr, exitCode } = ask(document)
    const outputs = stdout === '' ? [] : stdout.split('\n')
    const text = outputs.map((output) => `${output.startsWith('"') ? JSON.parse(output) : printableJson(output)}\n`).join('')
    if (exitCode === 0) return { text, remarks: stderr }
    return { text, remarks: '', failed: stderr }
  }
}

const outOfMemory = -1

/** Templates read no files, see no more than the document, and end with the thread. */
async function templateOf(source: string): Promise<ShapeOne> {
  const { Liquid } = await import('liquidjs')
  const liquid = new Liquid({ templates: {}, strictFilters: true, ownPropertyOnly: true })
  const parsed = attempt(
    () => liquid.parse(source),
    (why) => new Unusable(why),
  )
  return (document) => {
    const value: unknown = JSON.parse(document)
    const own = typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {}
    try {
      const text = String(liquid.renderSync(parsed, { document: value, ...own }))
      return { text: text === '' || text.endsWith('\n') ? text : `${text}\n`, remarks: '' }
    } catch (error) {
      return { text: '', remarks: '', failed: (error as Error).message }
    }
  }
}

function attempt<T>(make: () => T, failure: (why: string) => Error): T {
  try {
    return make()
  } catch (error) {
    throw failure((error as Error).message)
  }
}

const shape = workerData as Shape
try {
  const shapeOne = await (shape.kind === 'jq' ? jqOf(shape.expression) : templateOf(shape.template))
  parentPort?.on('message', (document: string) => report({ kind: 'shaped', ...shapeOne(document) }))
  report({ kind: 'ready' })
} catch (error) {
  if (!(error instanceof Unusable)) throw error
  report({ kind: 'refused', why: error.message })
}
