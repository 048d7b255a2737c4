/** The bucket that PH_STORAGE_URL names: `s3://bucket/folder?endpoint=https://…&region=…`. */

export interface BucketAddress {
  bucket: string
  /** Before every key: empty, or `folder/`. */
  prefix: string
  region: string
  /** `https://host:port`, where this server reaches the store. */
  endpoint: string
  /** Where clients reach it. */
  publicEndpoint: string
  /** Addresses name the bucket in their path, not in the name of the host. */
  isPathStyle: boolean
}

const known = ['endpoint', 'region', 'public_endpoint', 'style']
const bucketName = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/
const folderName = /^[A-Za-z0-9._-]+(\/[A-Za-z0-9._-]+)*$/
const regionName = /^[a-z0-9-]{1,40}$/

/** Throws Error with the end of a sentence that begins with the setting's name. */
export function readBucketAddress(text: string): BucketAddress {
  const url = URL.parse(text)
  if (url?.protocol !== 's3:') throw new Error('is not an address beginning with s3://.')
  if (url.username || url.password)
    throw new Error('holds a key; put it into PH_STORAGE_KEY and PH_STORAGE_SECRET, where it is not shown.')
  const unknown = [...url.searchParams.keys()].find((name) => !known.includes(name))
  if (unknown !== undefined) throw new Error(`has "${unknown}"; it takes ${known.join(', ')}.`)
  if (!bucketName.test(url.host)) throw new Error(`names the bucket "${url.host}", which is no name of a bucket.`)
  const folder = url.pathname.replace(/^\/|\/$/g, '')
  if (folder !== '' && (!folderName.test(folder) || folder.split('/').some((part) => /^\.+$/.test(part))))
    throw new Error(`names the folder "${folder}"; it takes letters, digits, dots, dashes and slashes.`)
  const own = endpointIn(url, 'endpoint')
  const region = url.searchParams.get('region') ?? 'us-east-1'
  if (!regionName.test(region)) throw new Error(`has the region "${region}"; it is written like eu-central-1.`)
  const endpoint = own ?? `https://s3.${region}.amazonaws.com`
  return {
    bucket: url.host,
    prefix: folder === '' ? '' : `${folder}/`,
    region,
    endpoint,
    publicEndpoint: endpointIn(url, 'public_endpoint') ?? endpoint,
    isPathStyle: styleIn(url) ?? own !== undefined,
  }
}

function endpointIn(url: URL, name: string): string | undefined {
  const text = url.searchParams.get(name)
  if (text === null) return undefined
  const found = URL.parse(text)
  const isOrigin = found && /^https?:$/.test(found.protocol) && found.pathname === '/' && !found.search && !found.username
  if (!isOrigin)
    throw new Error(`has the ${name} "${found?.username ? '…' : text}"; it takes one such as https://s3.example.com.`)
  return found.origin
}

function styleIn(url: URL): boolean | undefined {
  const style = url.searchParams.get('style')
  if (style === null) return undefined
  if (style !== 'path' && style !== 'host') throw new Error(`has the style "${style}"; it takes path or host.`)
  return style === 'path'
}
