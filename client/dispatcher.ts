/**
 * The connections of undici, without the rest of it: loading all of the package takes twice as long and 13 MB more, which a
 * push that finds nothing to do would mostly spend on that. What is loaded here is what its own index.js puts together.
 */
import { createRequire } from 'node:module'
import type { Agent as UndiciAgent, Dispatcher as UndiciDispatcher } from 'undici'

const require = createRequire(import.meta.url)
const base = require('undici/lib/dispatcher/dispatcher.js') as typeof UndiciDispatcher
Object.assign(base.prototype, require('undici/lib/api/index.js'))

export const Agent = require('undici/lib/dispatcher/agent.js') as typeof UndiciAgent
export type Agent = UndiciAgent
