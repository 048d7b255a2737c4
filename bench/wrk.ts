/** Requests per second, by wrk: one that is written in C, because a client in Node takes as much of two cores as the server does. */
import { writeFileSync } from 'node:fs'
import { ran } from './processes.ts'

export interface Load {
  url: string
  /** What wrk sends. */
  script: string
}

/** One request of wrk's. */
export interface Asked {
  path: string
  key: string
}

/** Writes a script that goes through all requests in turn, over and over. `file`: without an ending. */
export function writeScript(file: string, asked: readonly Asked[]): string {
  const [list, script] = [`${file}.txt`, `${file}.lua`]
  writeFileSync(list, asked.map(({ path, key }) => `${path} ${key}\n`).join(''))
  writeFileSync(
    script,
    `local requests, at = {}, 0
function init()
  for line in io.lines("${list}") do
    local path, key = line:match("^(%S+) (%S+)$")
    requests[#requests + 1] = wrk.format("GET", path, { ["Authorization"] = "Bearer " .. key, ["X-PH-Client"] = "bench/1" })
  end
end
function request()
  at = at % #requests + 1
  return requests[at]
end
`,
  )
  return script
}

/** Requests per second; every answer has to be a 200. */
export function rateOf({ url, script }: Load, { seconds, connections }: { seconds: number; connections: number }): number {
  const said = ran({ run: ['wrk', '-t1', `-c${connections}`, `-d${Math.max(1, Math.round(seconds))}`, '-s', script, url] })
  if (/Non-2xx|Socket errors/.test(said)) throw new Error(`requests to ${url} failed:\n${said}`)
  return Number(/Requests\/sec:\s+([\d.]+)/.exec(said)?.[1])
}
