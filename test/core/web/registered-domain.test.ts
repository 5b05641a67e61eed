import { describe, expect, it } from 'vitest';
import { registeredDomain } from '../../../src/core/index.ts';

describe('registeredDomain', () => {
  it.each([
    ['www.example.com', 'example.com'],
    ['a.b.example.co.uk:8080', 'example.co.uk'],
    ['wp-f.wikispeedia.test', 'wikispeedia.test'],
    ['someone.github.io', 'github.io'],
  ])('of %s is %s', (host, domain) => {
    expect(registeredDomain(host)).toBe(domain);
  });

  it.each(['127.0.0.1', '[::1]', 'localhost', 'co.uk'])('of %s is the name itself', (host) => {
    expect(registeredDomain(host)).toBe(host);
    expect(registeredDomain(`${host}:81`)).toBe(host);
  });
});
