// How the tests run: real servers and databases inside of three processes at a time, each of which does one file after the other.
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Stories take longest: they come first, so that at the end no process waits for the other's. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const isStory = ({ moduleId }: TestSpecification) => moduleId.includes('/test/stories/')
    return [...sorted.filter(isStory), ...sorted.filter((file) => !isStory(file))]
  }
}

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/built-program.ts', 'test/support/global-setup.ts'],
    setupFiles: ['test/support/database-code.ts', 'test/support/file-end.ts'],
    pool: 'forks',
    // Sources, and the code that the engine has made of them and of the database, serve all files of a process.
    isolate: false,
    execArgv: ['--expose-gc'],
    // One more than the two cores that the suite is measured on: each waits for its disk, its threads and its programs now and then.
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    // What is waited for comes when it comes: a busy machine is no reason to fail.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    expect: { poll: { timeout: 20_000, interval: 50 } },
    tags: [{ name: 'postgresql', description: 'needs a PostgreSQL server' }],
    // Servers in processes of their own: see test/support/server.ts.
    env: { NO_COLOR: '1', PH_DATABASE_CACHE: '16' },
    unstubEnvs: true,
  },
})
