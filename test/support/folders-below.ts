/** The folders of `ph` below one, as its environment names them. */
import { join } from 'node:path'

export const foldersBelow = (folder: string) => ({
  PH_STATE_DIR: join(folder, 'state'),
  PH_CACHE_DIR: join(folder, 'cache'),
  PH_CONFIG_DIR: join(folder, 'config'),
})
