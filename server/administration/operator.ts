/** The operator's routes with what answers them: as a table for the control socket, or in this process where no server runs. */
import type { FastifyRequest } from 'fastify'
import { type Operator, operatorHeader, operatorRoutes } from '../../contract/operator.ts'
import { type RouteTable, withHandlers } from '../../serving/mount.ts'
import { objectReader } from '../../serving/validation.ts'
import type { Clock } from '../clock.ts'
import type { Settings } from '../config.ts'
import type { Database } from '../database/open.ts'
import type { Handlers, OperatorContext } from '../handler.ts'
import { errorAnswers } from '../http/error-answers.ts'
import type { Storage } from '../storage/storage.ts'
import type { AuditRecord } from './audit-log.ts'
import { backup } from './backup/backups.ts'
import { controlFolder, databaseMark } from './control-note.ts'
import type { Controlled } from './control-socket.ts'
import { doctor } from './doctor/look-at-all.ts'
import { file } from './files/files.ts'
import { key } from './keys.ts'
import { type OperatorApi, operatorApi } from './operator-api.ts'
import { provisioning } from './provisioning.ts'
import { user } from './users.ts'

export interface OperatorParts {
  database: Database
  settings: Settings
  clock: Clock
  /** Whether this is the server itself. */
  isServer: boolean
  /** Where bytes lie, uncounted: opened when it is asked for. */
  files(): Promise<Storage>
  /** Takes a line of the audit log. */
  record(record: AuditRecord): void
}

/** A noun or a route without one does not compile. */
const handlers: { [N in keyof Operator]: Handlers<Operator[N]> } = { user, key, provisioning, doctor, file, backup }

const routes = withHandlers(operatorRoutes, handlers)

const operatorTable = (parts: OperatorParts): RouteTable => ({
  routes,
  contextOf: (_route, { request }) => contextFor(parts, nameIn(request)),
})

/** What a running server opens its control socket with. `url`: where the server itself listens. */
export const operatorSocket = (parts: OperatorParts, url: string): Omit<Controlled, 'log'> => ({
  parent: controlFolder(parts.settings.dataDir),
  about: { url, started_at: parts.clock.now().toISOString(), database_mark: databaseMark(parts.settings) },
  table: operatorTable(parts),
  answerError: errorAnswers(parts),
  unreachable: 'Administrative commands cannot reach this server',
  words: {
    socket: 'control',
    reached: 'ph server commands',
    unknown: 'The running server is of another version than this command. Restart it, then try again.',
  },
})

/** The same handlers, with the same check of their input. `by`: who asks. */
export const operatorApiOn = (parts: OperatorParts, by: string): OperatorApi =>
  operatorApi(async (called, input) => {
    const answered = routes.find(({ route }) => route === called)
    const checked = called.input ? objectReader(called.input)(input) : {}
    return answered?.handler({ ...contextFor(parts, by), input: checked })
  })

/** What the front door remembers is forgotten by the one who changes it (changingAccess). */
function contextFor({ record, ...parts }: OperatorParts, by: string): OperatorContext {
  const { database, clock } = parts
  const audit: OperatorContext['audit'] = (act, on) => record({ act, by, on, at: clock.now() })
  return { ...parts, sql: database.sql, now: clock.now(), audit }
}

const longestName = 200

function nameIn({ headers }: FastifyRequest): string {
  try {
    return decodeURIComponent(String(headers[operatorHeader] ?? '')).slice(0, longestName) || 'someone'
  } catch {
    return 'someone'
  }
}
