import { isIP } from "node:net";
import * as z from "zod";

/** An IP address as Go reads it: without a zone. */
export const address = z.string().refine((text) => text === "" || isAddress(text), "must be an IP address");

/** A subnet, or an address with its prefix length. */
export const cidr = z.string().refine(isCidr, "must be an address with a prefix length, such as 10.0.0.0/24");

function isAddress(text: string): boolean {
  return isIP(text) > 0 && !text.includes("%");
}

function isCidr(text: string): boolean {
  const [ip = "", length = "", ...rest] = text.split("/");
  if (!isAddress(ip) || !/^\d{1,3}$/.test(length) || rest.length > 0) return false;
  return Number(length) <= (isIP(ip) === 4 ? 32 : 128);
}
