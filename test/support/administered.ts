/** A server that administrators look after: `ph server …` on its data folder, while it runs and while it does not. */
import { type Outcome, ph, type Setting } from './ph.ts'
import type { TestServer } from './server.ts'

export interface Administered {
  /** `command` is what stands behind `ph server`. */
  administer(command: string | readonly string[], setting?: Setting): Promise<Outcome>
}

/** Commands find the database as the server does: by the data folder, or by PH_DATABASE_URL. */
export function administered({ dataDir, settings }: Pick<TestServer, 'dataDir' | 'settings'>): Administered {
  const env: Record<string, string> = settings.databaseUrl === undefined ? {} : { PH_DATABASE_URL: settings.databaseUrl }
  return {
    administer(command, setting = {}) {
      const words = typeof command === 'string' ? command.split(' ') : command
      return ph(['server', ...words, '--data', dataDir], { ...setting, env: { ...env, ...setting.env } })
    },
  }
}
