// Draws docs/pictures/*.svg: what `ph` says in a terminal of its own to the library of the demo, in light and dark. Needs tmux, and
// what `npm run build` builds. Run as `npm run pictures` after a change of what push, search or show say, and look at the pictures.
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { setDemoStage } from '../dist/cli/commands/demo/stage.js'
import { drawScreen } from './terminal-picture.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))

/** Each on a screen of its own, one after the other. */
const scenes = [
  { name: 'push-and-search', commands: ['ph push', 'ph search campfire'] },
  { name: 'show', commands: ['ph show SM_Lantern'] },
]

const size = { columns: 80, rows: 100 }
const patienceMs = 60_000

const stage = await setDemoStage(process.env)
const socket = `ph-pictures-${process.pid}`
const bin = join(stage.folder, 'bin')
// A shell in tmux has the PATH of the one who called tmux.
const env = { ...process.env, PATH: `${bin}:${process.env.PATH}` }
const tmux = (...args) => execFileSync('tmux', ['-L', socket, ...args], { encoding: 'utf8', env })
try {
  openTerminal()
  const folder = join(root, 'docs/pictures')
  mkdirSync(folder, { recursive: true })
  for (const { name, commands } of scenes) {
    tmux('send-keys', 'clear', 'Enter')
    await prompts(1)
    for (const [at, words] of commands.entries()) {
      tmux('send-keys', words, 'Enter')
      await prompts(at + 2)
    }
    const lines = tmux('capture-pane', '-e', '-p').trimEnd().split('\n').slice(0, -1)
    for (const theme of ['light', 'dark'])
      writeFileSync(join(folder, `${name}-${theme}.svg`), drawScreen(lines, { title: commands.join(', '), theme, ...size }))
  }
  const codes = readFileSync(join(bin, 'codes'), 'utf8').split(/\s+/).filter(Boolean)
  if (codes.some((code) => code !== '0')) throw new Error(`ph ended with ${codes.join(', ')}. See the pictures.`)
} finally {
  spawnSync('tmux', ['-L', socket, 'kill-server'])
  await stage.clear()
}
process.exit(0)

/** A shell in the project of the demo, whose `ph` is the built program. */
function openTerminal() {
  mkdirSync(bin)
  const script = `#!/bin/sh\n"${process.execPath}" "${root}bin/ph.mjs" "$@"\necho $? >> "${bin}/codes"\n`
  writeFileSync(join(bin, 'ph'), script, { mode: 0o755 })
  const settings = Object.entries({ ...stage.env, PS1: '$ ', COLORTERM: 'truecolor', NO_COLOR: '' }).flatMap(([name, value]) => [
    '-e',
    `${name}=${value}`,
  ])
  const area = ['-x', String(size.columns), '-y', String(size.rows)]
  tmux('-f', '/dev/null', 'new-session', '-d', ...area, ...settings, '-c', stage.project, 'sh', '-i')
}

/** Waits until the shell has asked so often for a command, the last time without one. */
async function prompts(wanted) {
  for (const until = Date.now() + patienceMs; Date.now() < until; await sleep(200)) {
    const lines = tmux('capture-pane', '-p').trimEnd().split('\n')
    if (lines.at(-1)?.trim() === '$' && lines.filter((line) => line.startsWith('$')).length === wanted) return
  }
  throw new Error(`The terminal does not ask for another command:\n${tmux('capture-pane', '-p').trimEnd()}`)
}
