// How the tests run: real servers and databases inside of two processes at a time, each of which does one file after the other.
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
    globalSetup: ['test/support/global-setup.ts', 'test/support/built-program.ts'],
    setupFiles: ['test/support/file-end.ts'],
    pool: 'forks',
    // Sources, and the code that the engine has made of them and of the database, serve all files of a process. On PostgreSQL each
    // file has its own: connections that it leaves behind end with it, and a cluster has only so many.
    isolate: process.env.PH_TEST_DATABASE_URL !== undefined,
    execArgv: ['--expose-gc'],
    maxWorkers: 2,
    sequence: { sequencer: LongestFirst },
    testTimeout: 60_000,
    hookTimeout: 60_000,
    env: { NO_COLOR: '1' },
    unstubEnvs: true,
  },
})
