#!/usr/bin/env node
// The `ph` program's first step: refuses a Node that is too old in one sentence, then hands over to dist/.
// Plain JavaScript that any Node since 12 can parse.
import { readFileSync } from 'node:fs'
import module from 'node:module'

const [major, minor] = process.versions.node.split('.').map(Number)
if (major < 22 || (major === 22 && minor < 22)) {
  process.stderr.write(
    `ph needs Node 22.22 or newer, and this is ${process.versions.node}. Install Node 24, or start it with "npx ph", which brings its own.\n`,
  )
  process.exit(1)
}
const args = process.argv.slice(2)
if (args.length === 1 && (args[0] === '--version' || args[0] === '-V')) {
  process.stdout.on('error', ({ code }) => {
    process.exitCode = code === 'EPIPE' ? 0 : 1
  })
  process.stdout.write(`${JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')).version}\n`)
} else {
  module.enableCompileCache()
  const { main } = await import('../dist/cli/main.js')
  await main(args)
}
