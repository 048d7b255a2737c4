/** `@prop-house/client`: a workspace of a library as typed calls, one for each route of the API. */

import { type Folders, findFolders } from '../folders.ts'
import { type Api, createApi } from '../http/api.ts'
import { Http, type WaitEvent } from '../http/http.ts'
import type { Wire } from '../http/open-http.ts'
import { type ConnectionChoice, findConnection } from '../sign-in/profile.ts'
import { readVersion } from '../version.ts'

export type { Folders } from '../folders.ts'
export type { Api, CallOptions } from '../http/api.ts'
export { type Bytes, bodyOf } from '../http/body.ts'
export type { WaitEvent } from '../http/http.ts'
export type { Wire } from '../http/open-http.ts'
export { pagesOf } from '../http/paging.ts'

export interface LibraryOptions extends ConnectionChoice {
  /** Where profiles, keys, memory and cache lie; those of `ph` where left out. */
  folders?: Folders
  /** How the program names itself to the server: `<name>/<version>`. */
  clientName?: string
  /** Ends every call that runs. */
  signal?: AbortSignal
  /** Told before every wait for the server or the network. */
  onWait?: (event: WaitEvent) => void
}

export interface Library {
  /** Address of the workspace. */
  url: string
  /**
   * `api.<noun>.<verb>(input, {signal})`, as in the table of the contract: `api.entries.get({ entry_id: 1 })`. Calls that change nothing
   * twice are repeated where the network failed; 429 and 503 are waited for. Each throws ApiError (the server refused: compare `code`)
   * or ClientError (`UNREACHABLE`, `ANSWER_CUT`, `NOT_A_LIBRARY`).
   */
  api: Api
  /** What push, pull, status and the mirror take to reach the same workspace: `push({ ...library.wire, paths })`. */
  wire: Wire
  /** Lets calls that run finish, then ends the connections. */
  close(): Promise<void>
}

/**
 * Opens a workspace. Address and key are those that are given, else `PH_URL` and `PH_API_KEY` of the environment, else those of the
 * profile that `ph login` kept. No request is made yet.
 *
 * Throws ClientError `NO_SERVER`, `NO_PROFILE`, `NOT_A_KEY`, `WRONG_ADDRESS`, `KEYCHAIN_REFUSED`, `KEY_FILE_OPEN`, `SETTINGS_DAMAGED`. Without a key
 * calls are refused with ApiError `UNAUTHORIZED`.
 */
export async function openLibrary(options: LibraryOptions = {}): Promise<Library> {
  const { folders = findFolders(), clientName = `prop-house-client/${readVersion()}`, signal, onWait } = options
  const { url, key } = await findConnection(folders, choiceOf(options))
  const http = new Http({ url, key, clientName, signal, onWait })
  return { url, api: createApi(http), wire: { url, key, folders, clientName, signal }, close: () => http.close() }
}

/** As `ph` chooses: a profile that is named outright never gets the key that the environment has for some other server. */
function choiceOf({ url, key, profile }: LibraryOptions): ConnectionChoice {
  const { PH_URL, PH_API_KEY } = profile === undefined ? process.env : {}
  return { profile, url: url ?? PH_URL, key: key ?? PH_API_KEY }
}
