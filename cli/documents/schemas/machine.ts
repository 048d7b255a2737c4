/** Documents of commands about this machine, signing in, and the server. */
import { Identity } from '../../../contract/identity.ts'
import { operator } from '../../../contract/operator.ts'
import { DamagedFile } from '../../../contract/operator-files.ts'
import { either, Finding, Open, type Shapes, shape } from './shape.ts'

const findings = 'findings: Finding[], problems: integer, warnings: integer'
const left = '{ profile: string | null, url: string, revoked: boolean }'

const setting =
  'name: string, value: string | null, source: "environment" | "config" | "default", variable: string, default: string | null'
const alias = 'name: string, line: string, in_shell: boolean, shadowed: boolean'

export const machineShapes: Shapes = {
  'config list': shape(
    `{ settings_file: string, settings: { ${setting}, meaning: string, takes: string }[], unknown_settings: string[] }`,
  ),
  'config get': shape(`{ ${setting} }`),
  'config set': shape(`{ ${setting}, previous: string | null }`),
  'config unset': shape(`{ ${setting}, previous: string | null }`),
  'alias list': shape(`{ aliases: { ${alias} }[] }`),
  'alias set': shape(`{ ${alias}, previous: string | null }`),
  'alias delete': shape(`{ ${alias} }`),
  doctor: shape(`{ ${findings} }`, { Finding }),
  demo: Open,
  inspect: shape(
    `{
      files: {
        file: string, sha256: string | null, size: integer | null, error?: string, format: string | null,
        asset_class: string | null, asset_name: string | null, package_name: string | null, origin_path: string | null,
        package_guid: string | null, engine_version: string | null, imports: string[], plugin_imports: string[],
        soft_references: string[], thumbnail: { width: integer, height: integer } | null, metadata: Open,
        source?: Open | null
      }[]
    }`,
  ),
  convert: shape(
    `{
      files: {
        file: string, path: string | null, kind: "mesh" | "picture" | "sound" | null, size?: integer, measures?: Open,
        reduced?: string[], present?: boolean, error?: string, reason?: string
      }[],
      without_source: integer
    }`,
  ),
  update: shape(
    `{
      server: string, version: string, offered: string, newer: boolean, updated: boolean, agent: "restarted" | "left" | null
    }`,
  ),
  login: shape('Identity & { url: string, profile: string, key_place: "keychain" | "file", already?: true }', { Identity }),
  logout: either(shape(left), shape(`{ profiles: ${left}[] }`)),
  whoami: either(
    shape(
      `Identity & {
        url: string, profile: string | null,
        key: { source: string, file?: string, prefix: string, signed_in_at: string | null }
      }`,
      { Identity },
    ),
    shape('{ current: string | null, profiles: Open }'),
  ),
  'server start': shape('{ url: string }'),
  'server doctor': shape(`{ server: Open | null, settings: Setting[], ${findings} }`, {
    Finding,
    Setting: operator.doctor.examine.output.properties.settings.items,
  }),
  'server check': shape(
    `{
      files: integer, bytes: integer, damaged: DamagedFile[], repaired: integer, references: References & { failed?: string },
      executables: Executables, took_ms: integer
    }`,
    { DamagedFile, References: operator.file.references.output, Executables: operator.file.executables.output },
  ),
  'server backup': shape(
    `{
      folder: string, backup: string, files: integer, bytes: integer, copied_files: integer, copied_bytes: integer,
      database_bytes: integer, lacks: DamagedFile[], removed: string[], took_ms: integer
    }`,
    { DamagedFile },
  ),
  'server restore': shape(
    `{
      backup: string, taken_at: string, data: string, rows: integer, files: integer, bytes: integer, damaged: DamagedFile[],
      took_ms: integer
    }`,
    { DamagedFile },
  ),
  'server provision': operator.provisioning.apply.output,
  'server user list': operator.user.list.output,
  'server user add': operator.user.add.output,
  'server user role': operator.user.role.output,
  'server user disable': operator.user.status.output,
  'server user enable': operator.user.status.output,
  'server user password': operator.user.password.output,
  'server key create': operator.key.create.output,
  'server key list': operator.key.list.output,
  'server key revoke': operator.key.revoke.output,
}
