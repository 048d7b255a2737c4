/** `ph update`: this program, as the server of the sign-in hands it out. */
import { spawn } from 'node:child_process'
import { findAgent } from '../../client/desktop/agent.ts'
import { agentScript } from '../../client/desktop/launch.ts'
import { Http } from '../../client/http/http.ts'
import { isCheckout, lockedFolders, npmPrefix, programFolder, runsByOwnNode } from '../../client/installation.ts'
import { findAddress } from '../../client/sign-in/profile.ts'
import { askOffer, installOffer, type Offer, tarballAddress, versionIn } from '../../client/update.ts'
import { isLater, readVersion } from '../../client/version.ts'
import { printable } from '../../system/printable.ts'
import { shellWord } from '../../system/shell-word.ts'
import { command, flag } from '../command.ts'
import { clientName, connectionChoice, foldersOf } from '../connection.ts'
import type { Context } from '../context.ts'
import { tellPlainHttp } from '../plain-http.ts'
import { failed } from '../refusal.ts'
import { tellWaits } from '../terminal/waits.ts'

export const commands = [
  command({
    usage: 'update',
    description:
      'Asks the server which version of ph it hands out. A newer one is fetched, checked against the SHA-256 that the server names, and installed by npm instead of this one. An agent that runs is restarted with it. Needs no key. What proves that the program is the server’s is TLS alone: over plain HTTP to another machine ph says so.',
    options: { check: flag('--check', 'only say whether there is a newer one') },
    examples: [
      ['update', 'install the version of your server, when it is newer'],
      ['update --check', 'look, and change nothing'],
      ['update --url https://props.example.com --json', 'from another server, for a script'],
    ],
    terms: {
      title: 'Settings',
      list: [
        ['PH_NO_UPDATE_NOTICE', 'when set, ph does not say by itself that there is a newer one; else once a day, on a terminal'],
      ],
    },
    async run(context, { check }) {
      requireInstalled(programFolder())
      const url = await findAddress(foldersOf(context), connectionChoice(context))
      tellPlainHttp(context, url, 'program')
      const { signal, pause } = context
      const http = new Http({ url, clientName: clientName(), signal, pause, onWait: tellWaits(context) })
      try {
        const offer = await askOffer(http)
        const outcome = await bring(context, { http, offer, check })
        tell(context, { url, offer, ...outcome, agent: outcome.updated ? await restartAgent(context) : null })
      } finally {
        await http.close('destroy')
      }
      return undefined
    },
  }),
]

interface Wish {
  http: Http
  offer: Offer
  check: boolean
}

interface Outcome {
  before: string
  isNewer: boolean
  updated: boolean
}

/** Installs the offer where it is newer and was agreed to. */
async function bring({ out }: Context, { http, offer, check }: Wish): Promise<Outcome> {
  const before = readVersion()
  const isNewer = isLater(offer.version, before)
  if (check || !isNewer) return { before, isNewer, updated: false }
  const folder = programFolder()
  const prefix = folderToUpdate(folder, http.url)
  out.note(`Installing ph ${printable(offer.version)} with npm …`)
  await installOffer(http, offer, prefix)
  const now = versionIn(folder)
  if (now === offer.version) return { before, isNewer, updated: true }
  throw failed(
    'UPDATE_LOST',
    `npm reported no error, but ${folder} holds ph ${printable(String(now))}, not ${offer.version}.`,
    `Install it by hand: ${byHand(http.url)}`,
  )
}

const byHand = (url: string): string => `npm install -g ${shellWord(tarballAddress(url))}`

function requireInstalled(folder: string): void {
  if (isCheckout(folder))
    throw failed('A_CHECKOUT', `This ph runs from the checkout in ${folder}.`, 'Update it there with `git pull && npm ci`.')
}

/** Throws a Refusal where npm could not replace this program, with what can. */
function folderToUpdate(folder: string, url: string): string {
  const prefix = npmPrefix(folder)
  if (prefix === undefined)
    throw failed(
      'NOT_GLOBAL',
      `This ph lies in ${folder}, which is not a global folder of npm.`,
      `Update it by what installed it, from ${tarballAddress(url)}`,
    )
  const [locked] = lockedFolders(prefix)
  if (locked !== undefined)
    throw failed(
      'NO_RIGHTS',
      `ph lies in a folder that is not yours to write: ${locked}.`,
      `Install it as an administrator (${process.platform === 'win32' ? '' : 'sudo '}${byHand(url)}), or in a folder of your own (npm install -g --prefix ~/.local ${shellWord(tarballAddress(url))}).`,
    )
  if (process.platform === 'win32' && runsByOwnNode(folder))
    throw failed(
      'IN_USE',
      'Windows keeps a program from being replaced while it runs.',
      `Close every ph, then run: ${byHand(url)}`,
    )
  return prefix
}

/** Null where none runs; `left` where it could not be restarted, and works on as it was. */
type AgentAfter = 'restarted' | 'left' | null

/** By the program that is there now: it goes on with that. */
async function restartAgent(context: Context): Promise<AgentAfter> {
  const found = await findAgent(foldersOf(context)).catch(() => undefined)
  if (!found) return null
  const { env, signal } = context
  const { promise, resolve } = Promise.withResolvers<AgentAfter>()
  const child = spawn(process.execPath, [agentScript(), 'agent', 'restart'], {
    env: env as NodeJS.ProcessEnv,
    signal,
    stdio: 'ignore',
  })
  child.once('error', () => resolve('left'))
  child.once('exit', (code) => resolve(code === 0 ? 'restarted' : 'left'))
  return promise
}

interface Told extends Outcome {
  url: string
  offer: Offer
  agent: AgentAfter
}

function tell({ out }: Context, { url, offer, before, isNewer, updated, agent }: Told): void {
  const value = { server: url, version: updated ? offer.version : before, offered: offer.version, newer: isNewer, updated, agent }
  const there = printable(offer.version)
  if (agent === 'left') out.note('The agent still runs with the version before. Restart it: `ph agent restart`')
  out.result(value, () => {
    if (updated)
      return `Updated ph from ${before} to ${there}${agent === 'restarted' ? ', and restarted the agent with it' : ''}.`
    if (isNewer) return `ph ${there} is available; this is ${before}. Install it with \`ph update\`.`
    if (offer.version === before) return `ph ${before} is up to date with ${url}.`
    return `ph ${before} is newer than ${there}, which ${url} hands out. Nothing to do.`
  })
}
