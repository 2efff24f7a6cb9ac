"""Samples: <report>/<why_it_exists>.txt with its .expected.jsonl."""
