// AES-128 in constant time on any machine: no table, no branch and no address that depends on a secret.
#pragma once

#include <cstddef>
#include <cstdint>

namespace loguuid {

// Round keys as kernel.h wants them.
void aes_expand_key(uint8_t round_keys[176], const uint8_t key[16]);

// Encrypts `count` blocks of 16 bytes in place. Fastest for multiples of 32.
void aes_encrypt(const uint8_t round_keys[176], uint8_t* blocks, size_t count);

// The same for one block.
void aes_encrypt_one(const uint8_t round_keys[176], uint8_t block[16]);

}  // namespace loguuid
