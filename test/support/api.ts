/** Plain HTTP as another program would speak it: JSON in, status and JSON out, redirects not followed. */

export interface Answer {
  status: number
  headers: Headers
  // The shape depends on the route; tests say what they expect of it.
  body: Json
}
export type Json = ReturnType<typeof JSON.parse>

export interface Caller {
  get(path: string): Promise<Answer>
  post(path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>
  put(path: string, body: unknown, headers?: Record<string, string>): Promise<Answer>
  patch(path: string, body: unknown): Promise<Answer>
  del(path: string): Promise<Answer>
}

/** `base` is the workspace's address, without `/api/v1`. */
export function callAs(base: string, key: string): Caller {
  const call = async (
    method: string,
    path: string,
    { body, headers = {} }: { body?: unknown; headers?: Record<string, string> } = {},
  ): Promise<Answer> => {
    const raw = body instanceof Uint8Array
    const response = await fetch(`${base}/api/v1${path}`, {
      method,
      redirect: 'manual',
      headers: {
        authorization: `Bearer ${key}`,
        ...(body === undefined || raw ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: raw ? Buffer.from(body) : JSON.stringify(body) }),
    })
    const text = await response.text()
    return { status: response.status, headers: response.headers, body: text.startsWith('{') ? JSON.parse(text) : text }
  }
  return {
    get: (path) => call('GET', path),
    post: (path, body, headers) => call('POST', path, headers ? { body, headers } : { body }),
    put: (path, body, headers) => call('PUT', path, headers ? { body, headers } : { body }),
    patch: (path, body) => call('PATCH', path, { body }),
    del: (path) => call('DELETE', path),
  }
}
