#!/usr/bin/env node
// The `ph` program's first step: hands over to dist/, where the Node is too old by starting the one that the package
// brings. Plain JavaScript that any Node since 14.8 can run.
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import module from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const args = process.argv.slice(2)

function tellVersion() {
  process.stdout.on('error', ({ code }) => {
    process.exitCode = code === 'EPIPE' ? 0 : 1
  })
  process.stdout.write(`${JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')).version}\n`)
}

function isTooOld() {
  const [major, minor] = process.versions.node.split('.').map(Number)
  return major < 22 || (major === 22 && minor < 22)
}

/** The Node that came with the package; npm installs the one that fits the machine, and none on systems without one. */
function broughtNode() {
  const system = process.platform === 'win32' ? 'win' : process.platform
  try {
    const manifest = module.createRequire(import.meta.url).resolve(`node-${system}-${process.arch}/package.json`)
    return join(dirname(manifest), JSON.parse(readFileSync(manifest, 'utf8')).bin.node)
  } catch {
    return undefined
  }
}

function refuse(why) {
  process.stderr.write(
    `error: ph needs Node 22.22 or newer, and this is ${process.versions.node}${why}.\n next: Install Node 24 from https://nodejs.org, then run ph again.\n`,
  )
  process.exit(1)
}

/** Runs `ph` by another Node, and ends as that one does. */
function handOver(node) {
  const child = spawn(node, [fileURLToPath(import.meta.url), ...args], {
    // The channel carries nothing: it closes when this process is gone, also by a kill that it cannot pass on.
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    env: { ...process.env, PH_STARTED_BY: 'ph' },
  })
  // Ctrl-C on a terminal reaches both by itself; a second one would mean "do not wait".
  const isAtTerminal = [process.stdin, process.stdout, process.stderr].some((stream) => stream.isTTY)
  const passOn = (signal) => {
    if (signal !== 'SIGINT' || !isAtTerminal) child.kill(signal)
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, passOn)
  child.on('error', ({ message }) => refuse(`; the one that ph brings does not start here: ${message}`))
  child.on('close', (code, signal) => {
    if (signal === null) process.exit(code)
    process.removeAllListeners(signal)
    process.kill(process.pid, signal)
  })
}

if (args.length === 1 && (args[0] === '--version' || args[0] === '-V')) tellVersion()
else if (isTooOld()) {
  const node = broughtNode()
  if (node) handOver(node)
  else refuse(', and ph brings none for this system')
} else if (args[0] === '__complete') {
  // At each Tab: without all that commands need.
  module.enableCompileCache()
  const { complete } = await import('../dist/cli/commands/completion/complete.js')
  process.stdout.write(await complete(args.slice(2), process.env))
} else {
  module.enableCompileCache()
  // A server or an agent that is killed later writes nothing into the compile cache.
  setTimeout(() => module.flushCompileCache(), 3000).unref()
  const { main } = await import('../dist/cli/main.js')
  await main(args)
}
