/** One folder to and from an object storage: `ph` with its server on it, and `rclone copy` to and from the same store. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readBucketAddress } from '../server/bucket-address.ts'
import type { Content } from './content.ts'
import { person, ph, startPh } from './ph.ts'
import { type Command, ran, type Server, timed } from './processes.ts'
import type { Run } from './run.ts'

const PUSH = 'first push, to object storage'
const PULL = 'pull into an empty project, from object storage'

const lifted = { PH_RATE_LIMIT_REQUESTS: '1000000', PH_RATE_LIMIT_PUSH: '1000000', PH_EMBEDDER: 'off' }

/** What bin/object-storage.sh says of the store. */
export interface Store {
  PH_STORAGE_URL: string
  PH_STORAGE_KEY: string
  PH_STORAGE_SECRET: string
}

/** One round of each after the other; the first round warms up and is not counted. Each round deletes what it stored. */
export async function objects(
  content: Content,
  { store, databases }: { store: Store; databases: readonly { name: string; database: string | undefined }[] },
  { place, results, runs }: Run,
): Promise<void> {
  for (let round = 0; round <= runs; round++) {
    const time = (job: string, name: string, [command, server]: [Command, Server?]): void => {
      ran({ run: ['sync', '-f', place.work] })
      const sample = timed(command, place.work, server)
      if (round > 0) results.add(job, name, sample)
    }
    const scratch = join(place.work, 'objects')
    for (const { name, database } of databases) {
      const server = await startPh(join(scratch, 'server'), database, { env: { ...store, ...lifted } })
      try {
        const someone = (who: string) => person(server, join(scratch, who))
        time(PUSH, name, [ph(['push', content.folder, '--json'], someone('pushing')), server])
        const into = join(scratch, 'project')
        mkdirSync(into, { recursive: true })
        writeFileSync(join(into, 'Pulled.uproject'), '{"FileVersion": 3, "EngineAssociation": "5.4"}\n')
        const listed = JSON.parse(ran(ph(['api', 'GET', '/entries', '--paginate', '--json'], someone('pushing'))))
        const ids = ((Array.isArray(listed) ? listed : listed.entries) as { id: number }[]).map(({ id }) => String(id))
        const pull = ['pull', ...ids.slice(0, 1000), '--project', 'Pulled', '--into', into, '--json']
        time(PULL, name, [ph(pull, someone('pulling')), server])
      } finally {
        await server.end()
      }
      rmSync(scratch, { recursive: true, force: true })
      emptied(store)
    }
    time(PUSH, 'rclone copy', [rclone(store, [content.folder, remote(store)])])
    time(PULL, 'rclone copy', [rclone(store, [remote(store), join(scratch, 'copied')])])
    rmSync(scratch, { recursive: true, force: true })
    emptied(store)
  }
}

const remote = ({ PH_STORAGE_URL }: Store): string => `objects:${readBucketAddress(PH_STORAGE_URL).bucket}`

const emptied = (store: Store): void => {
  const { env } = rclone(store, [])
  ran({ run: ['rclone', 'delete', '--config', '/dev/null', remote(store)], env })
}

function rclone(store: Store, [from = '', to = '']: readonly string[]): Command {
  const { endpoint, region } = readBucketAddress(store.PH_STORAGE_URL)
  return {
    run: ['rclone', 'copy', '--config', '/dev/null', '--transfers', '8', '--checkers', '8', from, to],
    env: {
      RCLONE_CONFIG_OBJECTS_TYPE: 's3',
      RCLONE_CONFIG_OBJECTS_PROVIDER: 'Ceph',
      RCLONE_CONFIG_OBJECTS_ENDPOINT: endpoint,
      RCLONE_CONFIG_OBJECTS_REGION: region,
      RCLONE_CONFIG_OBJECTS_ACCESS_KEY_ID: store.PH_STORAGE_KEY,
      RCLONE_CONFIG_OBJECTS_SECRET_ACCESS_KEY: store.PH_STORAGE_SECRET,
      RCLONE_S3_NO_CHECK_BUCKET: 'true',
      RCLONE_RETRIES: '1',
      // rclone takes no bundle of certificates from there.
      AWS_CA_BUNDLE: '',
    },
  }
}
