/** Typed calls for tests: `callsTo(workspace, 'mia')` speaks to a test server as a client does; closed after the test file. */

import { type Api, createApi } from '../../client/http/api.ts'
import { Http } from '../../client/http/http.ts'
import { afterFile } from './after-file.ts'
import type { Keys, TestServer } from './server.ts'

type TestWorkspace = Awaited<ReturnType<TestServer['addWorkspace']>>

export function callsTo(workspace: TestWorkspace, who: keyof Keys): Api {
  const http = new Http({ url: workspace.url, key: workspace.keys[who] })
  afterFile(() => http.close())
  return createApi(http)
}
