import { crc32, deflateRawSync } from 'node:zlib';

export type ZipEntry = {
  name: string | Buffer;
  content?: string | Uint8Array;
  /** The Unix mode with its type; 0 as programs on Windows write it. */
  mode?: number;
  /** Declares another size than that of the content. */
  declaredBytes?: number;
  encrypted?: boolean;
  /** Deflate by default. */
  method?: number;
  crc?: number;
};

/** Writes a ZIP archive with exactly these entries, valid or not. */
export function buildZip(entries: readonly ZipEntry[]): Buffer {
  const locals: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { name, content = '', mode = 0o100644, declaredBytes, encrypted = false, method = 8, crc } of entries) {
    const rawName = Buffer.from(name);
    const plain = Buffer.from(content);
    const data = method === 8 ? deflateRawSync(plain) : plain;
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(encrypted ? 1 : 0, 2);
    common.writeUInt16LE(method, 4);
    common.writeUInt32LE(crc ?? crc32(plain), 10);
    common.writeUInt32LE(data.length, 14);
    common.writeUInt32LE(declaredBytes ?? plain.length, 18);
    common.writeUInt16LE(rawName.length, 22);
    const local = Buffer.concat([Buffer.from('PK\u0003\u0004'), common, rawName, data]);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE((mode << 16) >>> 0, 6);
    rest.writeUInt32LE(offset, 10);
    const madeBy = Buffer.from([20, mode === 0 ? 0 : 3]);
    directory.push(Buffer.concat([Buffer.from('PK\u0001\u0002'), madeBy, common, rest, rawName]));
    locals.push(local);
    offset += local.length;
  }
  const central = Buffer.concat(directory);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(entries.length, 4);
  end.writeUInt16LE(entries.length, 6);
  end.writeUInt32LE(central.length, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...locals, central, Buffer.from('PK\u0005\u0006'), end]);
}
