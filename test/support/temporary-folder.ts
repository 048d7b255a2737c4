/** A folder of its own for a test, gone when the test is over. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'

/** The real path of a new folder; `files` are written into it, by path relative to it. */
export function temporaryFolder(files: Record<string, string | Uint8Array> = {}): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'ph-test-')))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  writeFiles(folder, files)
  return folder
}

/** Writes files below a folder, by relative path; makes the folders on the way. */
export function writeFiles(folder: string, files: Record<string, string | Uint8Array>): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), content)
  }
}
