/**
 * Runs before each test file, and does something in the first one of a process: compiles the embedded database, and keeps its code. The
 * engine gives that to each server that loads the same bytes later on, so that it is worth to make it quick once.
 */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

const engine = globalThis as unknown as {
  WebAssembly: { compile(code: Uint8Array): Promise<object> }
  databaseCode?: object
}

if (!process.env.PH_TEST_DATABASE_URL) engine.databaseCode ??= await compiled()

function compiled(): Promise<object> {
  const folder = dirname(createRequire(import.meta.url).resolve('@electric-sql/pglite'))
  return engine.WebAssembly.compile(readFileSync(join(folder, 'pglite.wasm')))
}
