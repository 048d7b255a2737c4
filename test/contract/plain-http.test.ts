// Addresses to which everything travels unencrypted.
import { expect, test } from 'vitest'
import { isPlainHttp } from '../../contract/plain-http.ts'

test.each([
  'http://props.example.com',
  'HTTP://10.0.0.5:7410/w/acme',
  'http://[2001:db8::1]:7410',
  'http://localhost.example.com',
  'http://127.example.com',
  'http://0.0.0.0:7410',
  'http://notlocalhost',
])('%s leads to another machine unencrypted', (address) => expect(isPlainHttp(address)).toBe(true))

test.each([
  'https://props.example.com',
  'http://localhost:7410',
  'http://LOCALHOST.',
  'http://props.localhost:7410',
  'http://127.0.0.1:7410',
  'http://127.1',
  'http://0x7f000001',
  'http://[::1]:7410',
  'http://[::ffff:127.0.0.1]:7410',
  'no address',
])('%s does not', (address) => expect(isPlainHttp(address)).toBe(false))
