/**
 * Runs before each test file. The first time in a process it compiles the embedded database and keeps the module: all servers of the process
 * that load the same bytes then share its compiled code, and what the engine made quicker of it.
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
