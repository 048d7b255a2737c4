/** Runs once before all tests: builds dist/ when a source is newer, so that tests of bin/ph.mjs run what is written here. */
import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const build = fileURLToPath(new URL('../../bin/build.mjs', import.meta.url))

export default function setup(): void {
  execFileSync(process.execPath, [build, '--if-older', '--noCheck'], { stdio: 'inherit' })
}
