/** Runs around each test file: ends what it started, and gives back the memory that it took, which the engine would not do until gigabytes were taken. */
import { afterAll } from 'vitest'
import { endFile } from './after-file.ts'

afterAll(async () => {
  await endFile()
  globalThis.gc?.()
})
