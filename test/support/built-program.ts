/** Runs once before all tests: builds dist/ when a source is newer, so that tests of bin/ph.mjs run what is written here. */
import { execFileSync } from 'node:child_process'
import { globSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))
/** Whatever folder it is in: a new floor needs no line here. */
const sources = '*/**/*.{ts,tsx,sql,css,html,py,uplugin}'
const isNoSource = (name: string): boolean => /^(node_modules|dist(\.\d+(\.last)?)?|test|bench|docs)$/.test(name)

const changedAt = (path: string): number => statSync(join(root, path), { throwIfNoEntry: false })?.mtimeMs ?? 0

export default function setup(): void {
  const built = changedAt('dist/cli/main.js')
  const newest = Math.max(...globSync(sources, { cwd: root, exclude: isNoSource }).map(changedAt))
  if (newest > built) execFileSync(process.execPath, [join(root, 'bin/build.mjs'), '--noCheck'], { stdio: 'inherit' })
}
