// The materials that the slots of a mesh refer to.
import type { OpenPackage } from './package.ts'

/**
 * Long name of the package that an object reference leads to: 0 is none, -n the import n - 1. Null for none, for objects of the
 * package itself, and where the import table leads nowhere.
 */
export function referencedPackage(from: OpenPackage, reference: number): string | null {
  return reference < 0 ? (from.imports.packageOf(-reference - 1) ?? null) : null
}
