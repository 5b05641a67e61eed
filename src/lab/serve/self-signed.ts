import { generateKeyPairSync, sign } from 'node:crypto';

/** A self-signed certificate, made on demand, so that the repository contains no key. */
export interface Certificate {
  readonly key: string;
  readonly cert: string;
}

/** Makes a certificate for these names (DNS names or `*.name`), valid from yesterday for ten days. */
export function selfSigned(names: readonly string[], now: number = Date.now()): Certificate {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  const algorithm = sequence(oid('2a8648ce3d040302')); // ecdsa-with-SHA256
  const subject = sequence(der(0x31, sequence(oid('550403'), der(0x0c, Buffer.from(names[0] ?? 'test')))));
  const day = 24 * 3600 * 1000;
  const validity = sequence(time(now - day), time(now + 9 * day));
  const alternatives = sequence(...names.map((name) => der(0x82, Buffer.from(name))));
  const extension = sequence(oid('551d11'), der(0x04, alternatives)); // subjectAltName
  const toBeSigned = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))), // version 3
    der(0x02, Buffer.from([1])), // serial number
    algorithm,
    subject,
    validity,
    subject,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(extension)),
  );
  const signature = der(0x03, Buffer.concat([Buffer.from([0]), sign('sha256', toBeSigned, privateKey)]));
  const certificate = sequence(toBeSigned, algorithm, signature);
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${certificate.toString('base64')}\n-----END CERTIFICATE-----\n`,
  };
}

/** Tag, length, contents. */
function der(tag: number, contents: Buffer): Buffer {
  const { length } = contents;
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255];
  return Buffer.concat([Buffer.from([tag, ...size]), contents]);
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return der(0x30, Buffer.concat(parts));
}

function oid(hex: string): Buffer {
  return der(0x06, Buffer.from(hex, 'hex'));
}

function time(at: number): Buffer {
  return der(0x17, Buffer.from(`${new Date(at).toISOString().replace(/\D/g, '').slice(2, 14)}Z`));
}
