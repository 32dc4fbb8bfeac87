// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include <regatta/boot/boot_line.hpp>

#include <regatta/base/detail/system_files.hpp>

#include <algorithm>
#include <filesystem>
#include <initializer_list>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace regatta {
namespace {

/// Finds boot loaders by the files that they install.
class boot_loader_finder {
public:
    explicit boot_loader_finder(const std::string& root) : root_(root) {}

    std::vector<boot_loader> find() {
        find_grub();
        find_systemd_boot();
        find_u_boot();
        for (const char* file : {"/boot/firmware/cmdline.txt", "/boot/cmdline.txt"}) {
            if (exists(file)) {
                add("Raspberry Pi firmware", file, "add the options to its one line", "");
                break;
            }
        }
        put_the_one_in_use_first();
        return std::move(found_);
    }

private:
    bool exists(const std::string& path) const {
        std::error_code error; // A link that leads out of `root` counts, too.
        return std::filesystem::exists(std::filesystem::symlink_status(root_ + path, error));
    }
    /// The first path that exists; empty: none does.
    std::string_view first_of(std::initializer_list<const char*> paths) const {
        const auto* const path =
            std::find_if(paths.begin(), paths.end(), [&](const char* p) { return exists(p); });
        return path != paths.end() ? *path : std::string_view();
    }
    bool has_program(const std::string& name) const {
        return !first_of({("/usr/sbin/" + name).c_str(), ("/sbin/" + name).c_str(),
                          ("/usr/bin/" + name).c_str()})
                    .empty();
    }
    /// The first of these folders that has a file of an entry; empty: none has.
    std::string_view first_folder_of_entries(std::initializer_list<const char*> folders) const {
        const auto* const folder = std::find_if(folders.begin(), folders.end(), [&](const char* f) {
            std::error_code error;
            return std::any_of(std::filesystem::directory_iterator(root_ + f, error),
                               std::filesystem::directory_iterator(),
                               [](const auto& file) { return file.path().extension() == ".conf"; });
        });
        return folder != folders.end() ? *folder : std::string_view();
    }
    void add(const char* name, std::string_view file, std::string edit, std::string command) {
        found_.push_back({name, std::string(file), std::move(edit), std::move(command)});
    }

    void find_grub() {
        if (!first_of({"/run/ostree-booted", "/ostree"}).empty() && has_program("rpm-ostree")) {
            add("GRUB", "", "hand each option to rpm-ostree, which writes the entries",
                "rpm-ostree kargs --append-if-missing=OPTION");
            return;
        }
        constexpr const char* settings = "/etc/default/grub";
        if (!exists(settings)) {
            return;
        }
        // grubby also edits existing entries. mkconfig does not if each entry is a file of its own.
        if (has_program("grubby") && !has_program("update-grub")) {
            add("GRUB", "", "hand the options to grubby",
                "grubby --update-kernel=ALL --args='OPTIONS'");
            return;
        }
        std::string command = "update-grub";
        if (!has_program("update-grub")) {
            command = exists("/boot/grub2") ? "grub2-mkconfig -o /boot/grub2/grub.cfg"
                                            : "grub-mkconfig -o /boot/grub/grub.cfg";
        }
        add("GRUB", settings, "add the options to GRUB_CMDLINE_LINUX, inside its quotes", command);
    }

    void find_systemd_boot() {
        const bool loader = !first_of({"/boot/loader/loader.conf", "/boot/efi/loader/loader.conf",
                                       "/efi/loader/loader.conf"})
                                 .empty();
        constexpr const char* line = "/etc/kernel/cmdline";
        if (!loader && !exists(line)) {
            return;
        }
        if (has_program("kernelstub") && exists("/etc/kernelstub/configuration")) {
            add("systemd-boot", "", "hand the options to kernelstub", "kernelstub -a \"OPTIONS\"");
            return;
        }
        if (has_program("proxmox-boot-tool") && exists("/etc/kernel/proxmox-boot-uuids")) {
            add("systemd-boot", line, "add the options to its one line",
                "proxmox-boot-tool refresh");
            return;
        }
        if (!exists(line)) {
            const std::string entries(first_folder_of_entries(
                {"/boot/loader/entries", "/efi/loader/entries", "/boot/efi/loader/entries"}));
            if (!entries.empty()) {
                add("systemd-boot", entries,
                    "add the options to the line 'options' of the entry that starts the system; "
                    "rebuild a unified kernel image with the tool that has built it",
                    "");
                return;
            }
        }
        const std::string release = kernel_release(root_);
        const std::string packaged = "/usr/lib/modules/" + release + "/vmlinuz";
        add("systemd-boot", line,
            exists(line) ? "add the options to its one line"
                         : "which does not exist yet, write the line of /proc/cmdline without "
                           "initrd= and BOOT_IMAGE=, and the options behind it",
            "kernel-install add " + release + ' ' +
                (exists(packaged) ? packaged : "/boot/vmlinuz-" + release));
    }

    void find_u_boot() {
        constexpr const char* debian = "/etc/default/u-boot";
        constexpr const char* extlinux = "/boot/extlinux/extlinux.conf";
        constexpr const char* armbian = "/boot/armbianEnv.txt";
        if (exists(debian) && has_program("u-boot-update")) {
            add("U-Boot", debian, "add the options to U_BOOT_PARAMETERS, inside its quotes",
                "u-boot-update");
        } else if (exists(extlinux)) {
            add("U-Boot", extlinux, "add the options to each line that begins with 'append'", "");
        } else if (exists(armbian)) {
            add("U-Boot", armbian, "add the options to the line 'extraargs='", "");
        } else if (exists("/boot/uEnv.txt")) { // Its scripts compose bootargs at each start.
            add("U-Boot", "/boot/uEnv.txt",
                "add the options to its line 'cmdline=', or 'optargs=' where it has that", "");
        } else if (exists("/etc/default/flash-kernel")) {
            add("U-Boot", "/etc/default/flash-kernel",
                "add the options to LINUX_KERNEL_CMDLINE, inside its quotes", "flash-kernel");
        } else if (exists("/etc/fw_env.config")) {
            // Without the variable the line is in the device tree, and must not be replaced.
            add("U-Boot", "", "add the options to the variable bootargs",
                "old=$(fw_printenv -n bootargs) && fw_setenv bootargs \"$old OPTIONS\"");
        } else if (!first_of({"/boot/boot.scr", "/boot/u-boot.bin"}).empty()) {
            add("U-Boot", "",
                "if 'printenv bootargs' shows the whole line, add the options to it, at the "
                "loader's prompt; otherwise the loader's script or the device tree has it",
                "setenv bootargs \"${bootargs} OPTIONS\"; saveenv");
        }
    }

    /// UEFI loaders pass the system their name, with two bytes for each letter.
    void put_the_one_in_use_first() {
        auto text =
            detail::read_small_file(root_ + "/sys/firmware/efi/efivars/"
                                            "LoaderInfo-4a67b082-0a4c-41cf-b6c7-440b29bb8c4f");
        if (!text) {
            return;
        }
        std::erase(*text, '\0');
        std::stable_partition(found_.begin(), found_.end(), [&](const boot_loader& loader) {
            return text->find(loader.name) != std::string::npos;
        });
    }

    const std::string& root_;
    std::vector<boot_loader> found_{};
};

} // namespace

std::vector<boot_loader> find_boot_loaders(const std::string& root) {
    return boot_loader_finder(root).find();
}

} // namespace regatta
